package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.launcher.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process loses the lock of a data directory: two processes never write to it. */
final class LostLockTest {

  @TempDir private Path parent;

  /**
   * On POSIX systems a process that closes any channel of a file releases all its locks on that
   * file.
   */
  @Test
  void directoryWhoseOwnerHasReadItsLockFileIsStillRefused() {
    Path data = parent.resolve("data");
    try (ChildJvm owner = StoreHost.start(List.of());
        ChildJvm other = StoreHost.start(List.of())) {
      StoreHost.ask(owner, "open " + data, "OPENED");
      StoreHost.ask(owner, "write one 100", "WRITTEN 1");
      StoreHost.ask(owner, "read " + data.resolve("LOCK"), "READ");

      assertThat(StoreHost.ask(other, "open " + data, "FAILED"))
          .contains(DirectoryInUseException.class.getName());

      StoreHost.ask(owner, "write one 100", "WRITTEN 2");
      owner.kill();
      assertThat(owner.wasKilled()).isTrue();
      StoreHost.ask(other, "open " + data, "OPENED");
      StoreHost.ask(other, "check one", "CHECKED 2");
    }
  }

  @Test
  void ownerWhoseLockFileWasDeletedStopsBeforeItWritesAgain() throws IOException {
    Path data = parent.resolve("data");
    try (ChildJvm owner = StoreHost.start(List.of());
        ChildJvm other = StoreHost.start(List.of())) {
      StoreHost.ask(owner, "open " + data, "OPENED");
      StoreHost.ask(owner, "write one 100", "WRITTEN 1");
      Files.delete(data.resolve("LOCK"));
      StoreHost.ask(other, "open " + data, "OPENED");
      StoreHost.ask(other, "write one 100", "WRITTEN 2");

      assertThat(StoreHost.ask(owner, "write one 100", "FAILED"))
          .contains(JournalFailedException.class.getName());
      StoreHost.ask(owner, "close");

      StoreHost.ask(other, "write one 100", "WRITTEN 3");
      StoreHost.ask(other, "check one", "CHECKED 3");
      StoreHost.ask(other, "close", "CLOSED");
      StoreHost.ask(other, "open " + data, "OPENED");
      StoreHost.ask(other, "check one", "CHECKED 3");
    }
  }
}
