package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.launcher.process.ChildJvm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CorruptJournalTest {

  private static final int WRITE_COUNT = 50;
  private static final int DAMAGED_BYTE = 100_000;

  @TempDir private Path directory;

  @Test
  void damageBeforeTheEndIsRefusedWithFileAndPlaceAndChangesNothing() throws IOException {
    killAfterWrites();
    Path segment = largestSegment();
    flip(segment, DAMAGED_BYTE);
    Map<Path, Integer> before = contents();

    JournalCorruptException failure =
        catchThrowableOfType(
            JournalCorruptException.class,
            () -> Probe.open(directory, (context, argument) -> null));

    assertThat(failure.file()).isEqualTo(segment.toString());
    assertThat(failure.offsetBytes()).isBetween(1L, (long) DAMAGED_BYTE);
    assertThat(failure.position()).isPositive();
    assertThat(failure).hasMessageContaining(segment.toString());
    assertThat(contents()).isEqualTo(before);
  }

  @Test
  void repairedFileOpensAgainWithEverything() throws IOException {
    killAfterWrites();
    Path segment = largestSegment();
    flip(segment, DAMAGED_BYTE);
    catchThrowableOfType(
        JournalCorruptException.class, () -> Probe.open(directory, (context, argument) -> null));

    flip(segment, DAMAGED_BYTE);

    try (ChildJvm child = StoreHost.start(List.of())) {
      StoreHost.ask(child, "open " + directory, "OPENED");
      StoreHost.ask(child, "check one", "CHECKED " + WRITE_COUNT);
    }
  }

  private void killAfterWrites() {
    try (ChildJvm child = StoreHost.start(List.of())) {
      StoreHost.ask(child, "open " + directory, "OPENED");
      for (int write = 1; write <= WRITE_COUNT; write++) {
        StoreHost.ask(child, "write one 10000", "WRITTEN " + write);
      }
      child.kill();
      assertThat(child.wasKilled()).isTrue();
    }
  }

  private Path largestSegment() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("journal"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("[0-9a-f]{16}\\.log"))
          .max((left, right) -> Long.compare(left.toFile().length(), right.toFile().length()))
          .orElseThrow();
    }
  }

  private static void flip(Path file, long offset) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, offset);
      one.put(0, (byte) (one.get(0) ^ 0x40));
      channel.write(one.rewind(), offset);
    }
  }

  /** Every file with a hash of its content, except LOCK, which names its owner. */
  private Map<Path, Integer> contents() throws IOException {
    Map<Path, Integer> contents = new HashMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        contents.put(file, Arrays.hashCode(Files.readAllBytes(file)));
      }
    }
    contents.remove(directory.resolve("LOCK"));
    return contents;
  }
}
