package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.system.process.Mounts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small real file system becomes full: the application receives an error and loses nothing. */
final class FullDiskTest {

  private static final long VALUE_BYTES = 60_000;

  /** More than fit, so that a test ends even if the disk does not become full. */
  private static final int WRITES_MAX = 2_000;

  @TempDir private Path mount;
  private List<String> small = List.of();

  @BeforeEach
  void findOutWhetherMountingIsAllowed() {
    small = Mounts.small("size=32m", mount);
    Mounts.assumePossible(small);
  }

  @Test
  void fullDiskFailsTheWriteAndKeepsWhatWasAnswered() {
    try (ChildJvm child = StoreHost.start(small)) {
      StoreHost.ask(child, "open " + data(), "OPENED");

      Filled filled = fill(child);

      assertThat(filled.failure())
          .containsAnyOf(
              DataDirectoryException.class.getName(),
              StorageFailedException.class.getName(),
              JournalFailedException.class.getName());
      assertThat(filled.count()).isGreaterThan(20);
    }
  }

  @Test
  void everythingAnsweredIsThereAndWritingWorksWhenThereIsSpaceAgain() {
    try (ChildJvm child = StoreHost.start(withBallast())) {
      StoreHost.ask(child, "open " + data(), "OPENED");
      Filled filled = fill(child);

      StoreHost.ask(child, "delete " + mount.resolve("ballast"), "DELETED");
      StoreHost.ask(child, "close", "CLOSED");
      StoreHost.ask(child, "open " + data(), "OPENED");

      long there = checked(child);
      assertThat(there).isBetween(filled.count(), filled.count() + 1);
      StoreHost.ask(child, "write one " + VALUE_BYTES, "WRITTEN " + (there + 1));
      assertThat(checked(child)).isEqualTo(there + 1);
    }
  }

  private record Filled(long count, String failure) {}

  /** Writes until it fails. */
  private static Filled fill(ChildJvm child) {
    long count = 0;
    while (count < WRITES_MAX) {
      String answer = StoreHost.ask(child, "write one " + VALUE_BYTES);
      if (!answer.startsWith("WRITTEN")) {
        return new Filled(count, answer);
      }
      count++;
    }
    throw new AssertionError("the disk did not get full after " + count + " writes");
  }

  private static long checked(ChildJvm child) {
    return Long.parseLong(
        StoreHost.ask(child, "check one", "CHECKED").substring("CHECKED ".length()));
  }

  /** The same, with a file that takes room until it is deleted. */
  private List<String> withBallast() {
    return Mounts.small("size=42m", mount, "head -c 10000000 /dev/zero > \"$1/ballast\"");
  }

  private Path data() {
    return mount.resolve("data");
  }
}
