package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DataDirectoryException;
import dev.holdfast.DirectoryInUseException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DirectoryLockTest {

  /** Locks a file as another runtime would, says so, and holds it until its input ends. */
  private static final String OTHER_PROCESS =
      """
      import java.nio.channels.FileChannel;
      import java.nio.file.Path;
      import java.nio.file.StandardOpenOption;

      class OtherProcess {
        public static void main(String[] args) throws Exception {
          try (var channel = FileChannel.open(
                  Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
              var lock = channel.tryLock()) {
            System.out.println("locked " + lock.isValid());
            System.in.read();
          }
        }
      }
      """;

  @TempDir Path work;

  @Test
  void missingDirectoryIsMade() {
    Path data = work.resolve("a/b");
    try (DirectoryLock lock = DirectoryLock.acquire(data)) {
      assertThat(lock.directory()).isDirectory();
    }
  }

  @Test
  void directoryIsLockedOnceAndAgainAfterClose() {
    DirectoryLock lock = DirectoryLock.acquire(work);
    assertThatThrownBy(() -> DirectoryLock.acquire(work))
        .isInstanceOf(DirectoryInUseException.class)
        .hasMessageContaining(work.getFileName().toString());
    lock.close();
    lock.close();
    DirectoryLock.acquire(work).close();
  }

  @Test
  void sameDirectoryByAnotherNameIsLockedToo() throws IOException {
    Path data = Files.createDirectory(work.resolve("data"));
    Path link = Files.createSymbolicLink(work.resolve("link"), data);
    try (DirectoryLock lock = DirectoryLock.acquire(data)) {
      assertThat(lock.directory()).isEqualTo(data.toRealPath());
      assertThatThrownBy(() -> DirectoryLock.acquire(link))
          .isInstanceOf(DirectoryInUseException.class);
    }
  }

  @Test
  void directoryLockedByAnotherProcessIsInUseUntilThatEnds() throws Exception {
    Path source = Files.writeString(work.resolve("OtherProcess.java"), OTHER_PROCESS);
    Path data = Files.createDirectory(work.resolve("data"));
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                source.toString(),
                data.resolve("LOCK").toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(other.inputReader().readLine()).isEqualTo("locked true");
      assertThatThrownBy(() -> DirectoryLock.acquire(data))
          .isInstanceOf(DirectoryInUseException.class);
    } finally {
      other.destroyForcibly().waitFor();
    }
    DirectoryLock.acquire(data).close();
  }

  @Test
  void secondAttemptDoesNotEndTheFirstLock() throws Exception {
    try (DirectoryLock lock = DirectoryLock.acquire(work)) {
      assertThatThrownBy(() -> DirectoryLock.acquire(work))
          .isInstanceOf(DirectoryInUseException.class);
      Path source = Files.writeString(work.resolve("OtherProcess.java"), OTHER_PROCESS);
      Process other =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx64m",
                  source.toString(),
                  lock.directory().resolve("LOCK").toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      assertThat(other.inputReader().readLine()).as("tryLock gave null").isNull();
      other.waitFor();
    }
  }

  @Test
  void fileInPlaceOfTheDirectoryIsReported() throws IOException {
    Path file = Files.writeString(work.resolve("file"), "x");
    assertThatThrownBy(() -> DirectoryLock.acquire(file))
        .isInstanceOf(DataDirectoryException.class);
    assertThatThrownBy(() -> DirectoryLock.acquire(file.resolve("data")))
        .isInstanceOf(DataDirectoryException.class);
    assertThatThrownBy(() -> Journals.open(file)).isInstanceOf(DataDirectoryException.class);
  }

  @Test
  void interruptedThreadLocksAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    DirectoryLock lock = DirectoryLock.acquire(work);
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(() -> DirectoryLock.acquire(work))
        .isInstanceOf(DirectoryInUseException.class);
    lock.close();
  }
}
