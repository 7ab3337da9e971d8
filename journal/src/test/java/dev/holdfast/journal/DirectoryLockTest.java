package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DirectoryLockTest {

  /**
   * Locks a file as another runtime would, reports that, and holds the lock until its input ends.
   */
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

  private static DirectoryLock acquire(Path dataDirectory) {
    return DirectoryLock.acquire(dataDirectory, new FileDisk());
  }

  @Test
  void missingDirectoryIsMade() {
    Path data = work.resolve("a/b");
    try (DirectoryLock lock = acquire(data)) {
      assertThat(lock.directory()).isDirectory();
    }
  }

  @Test
  void directoryIsLockedOnceAndAgainAfterClose() {
    DirectoryLock lock = acquire(work);
    assertThatThrownBy(() -> acquire(work))
        .isInstanceOf(DirectoryInUseException.class)
        .hasMessageContaining(work.getFileName().toString());
    lock.close();
    lock.close();
    acquire(work).close();
  }

  @Test
  void sameDirectoryByAnotherNameIsLockedToo() throws IOException {
    Path data = Files.createDirectory(work.resolve("data"));
    Path link = Files.createSymbolicLink(work.resolve("link"), data);
    try (DirectoryLock lock = acquire(data)) {
      assertThat(lock.directory()).isEqualTo(data.toRealPath());
      assertThatThrownBy(() -> acquire(link)).isInstanceOf(DirectoryInUseException.class);
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
                "-XX:TieredStopAtLevel=1",
                source.toString(),
                data.resolve("LOCK").toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(other.inputReader().readLine()).isEqualTo("locked true");
      assertThatThrownBy(() -> acquire(data)).isInstanceOf(DirectoryInUseException.class);
    } finally {
      other.destroyForcibly().waitFor();
    }
    acquire(data).close();
  }

  @Test
  void secondAttemptDoesNotEndTheFirstLock() throws Exception {
    try (DirectoryLock lock = acquire(work)) {
      assertThatThrownBy(() -> acquire(work)).isInstanceOf(DirectoryInUseException.class);
      Path source = Files.writeString(work.resolve("OtherProcess.java"), OTHER_PROCESS);
      Process other =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx64m",
                  "-XX:TieredStopAtLevel=1",
                  source.toString(),
                  lock.directory().resolve("LOCK").toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      assertThat(other.inputReader().readLine()).as("tryLock gave null").isNull();
      other.waitFor();
    }
  }

  @Test
  void ownerLearnsThatTheFileWasDeletedOrNamesAnother() throws IOException {
    Path file = work.resolve("LOCK");
    DirectoryLock lock = acquire(work);
    lock.requireHeld();
    byte[] own = Files.readAllBytes(file);
    Files.writeString(file, "holdfast-1 1 2026-01-01T00:00:00Z 00\n");
    assertThatThrownBy(lock::requireHeld)
        .isInstanceOf(DirectoryInUseException.class)
        .hasMessageContaining("belongs to another runtime");
    Files.write(file, own);
    lock.requireHeld();
    Files.delete(file);
    assertThatThrownBy(lock::requireHeld)
        .isInstanceOf(DirectoryInUseException.class)
        .hasMessageContaining("was deleted");
    Files.write(file, own);
    assertThatThrownBy(lock::requireHeld).as("another file").isNotNull();
    lock.close();
    assertThat(file).as("not his any more").hasBinaryContent(own);
  }

  @Test
  void directoryThatOthersCouldReadIsClosedToThemIfItIsOurs() throws IOException {
    Set<PosixFilePermission> open = PosixFilePermissions.fromString("rwxr-xr-x");
    Path own = Files.createDirectory(work.resolve("own"));
    Files.setPosixFilePermissions(own, open);
    acquire(own).close();
    assertThat(Files.getPosixFilePermissions(own))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    assertThat(Files.getPosixFilePermissions(own.resolve("LOCK")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    Path shared = Files.createDirectory(work.resolve("shared"));
    Files.writeString(shared.resolve("file"), "of somebody");
    Files.setPosixFilePermissions(shared, open);
    acquire(shared).close();
    assertThat(Files.getPosixFilePermissions(shared)).as("only warned of").isEqualTo(open);
  }

  @Test
  void closedLockNamesNobody() {
    acquire(work).close();
    assertThat(work.resolve("LOCK")).hasContent("");
  }

  @Test
  void journalStopsWhenItsDirectoryIsTakenAway() throws IOException {
    try (DirectoryLock lock = acquire(work);
        FileJournal journal = FileJournal.open(lock, new VirtualClock(), Journals.SMALL)) {
      Journals.write(journal, "mine");
      journal.requireOwnership();
      Files.delete(work.resolve("LOCK"));
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 10; i++) {
                  Journals.write(journal, "z".repeat(4000));
                }
              })
          .isInstanceOf(JournalFailedException.class)
          .hasMessageContaining("LOCK was deleted")
          .hasCauseInstanceOf(DirectoryInUseException.class);
      assertThatThrownBy(journal::requireOwnership).isInstanceOf(JournalFailedException.class);
    }
  }

  @Test
  void fileInPlaceOfTheDirectoryIsReported() throws IOException {
    Path file = Files.writeString(work.resolve("file"), "x");
    assertThatThrownBy(() -> acquire(file)).isInstanceOf(DataDirectoryException.class);
    assertThatThrownBy(() -> acquire(file.resolve("data")))
        .isInstanceOf(DataDirectoryException.class);
    assertThatThrownBy(() -> Journals.open(file)).isInstanceOf(DataDirectoryException.class);
  }

  /** With the power cut, or the process ended, before each step of a first attempt. */
  @Test
  void directoryThatWasLockedSurvivesAPowerCutWhateverHappenedBefore() throws IOException {
    boolean locked = false;
    for (int step = 0; !locked; step++) {
      Path root = Files.createDirectories(work.resolve("root-" + step));
      PowerLossDisk disk = new PowerLossDisk(root);
      disk.cutPowerAfter(step);
      locked = canLock(root.resolve("a/b/data"), disk);
      disk.cutPowerAfter(Long.MAX_VALUE);
      acquire(root.resolve("a/b/data"), disk).close();
      for (int seed = 0; seed < 10; seed++) {
        Path image = work.resolve("image-" + step + "-" + seed);
        disk.writeCrashImage(image, seed);
        assertThat(image.resolve("a/b/data")).as("cut after step %d", step).isDirectory();
      }
    }
  }

  private static boolean canLock(Path data, PowerLossDisk disk) {
    try {
      acquire(data, disk).close();
      return true;
    } catch (DataDirectoryException e) {
      return false;
    }
  }

  private static DirectoryLock acquire(Path dataDirectory, Disk disk) {
    return DirectoryLock.acquire(dataDirectory, disk);
  }

  @Test
  void interruptedThreadLocksAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    DirectoryLock lock = acquire(work);
    assertThat(Thread.interrupted()).isTrue();
    assertThatThrownBy(() -> acquire(work)).isInstanceOf(DirectoryInUseException.class);
    lock.close();
  }

  /** A live owner whose lock vanished or is on another file. */
  @Test
  void copyOfADirectoryInUseIsNotInUse() throws Exception {
    Path file = work.resolve("LOCK");
    Path original = Files.createFile(work.resolve("original"));
    Process other = new ProcessBuilder("sleep", "60").start();
    try {
      String owner = " " + other.pid() + " " + other.info().startInstant().orElseThrow() + " 00";
      Files.writeString(file, "holdfast-1" + owner + "\n");
      assertInUse("of a version that did not say which file");
      Files.writeString(file, "holdfast-2" + owner + " -\n");
      assertInUse("where the system does not say which file");
      Files.writeString(file, "holdfast-2" + owner + " " + key(file) + "\n");
      assertInUse("the file that it was written to");
      Files.writeString(file, "holdfast-2" + owner + " " + key(original) + "\n");
      try (DirectoryLock lock = acquire(work)) {
        lock.requireHeld();
        assertThat(Files.readString(file))
            .matches("holdfast-2 [0-9]+ \\S+ [0-9a-f]{32} \\S+\n")
            .endsWith(" " + key(file) + "\n");
      }
    } finally {
      other.destroyForcibly().waitFor();
    }
  }

  private void assertInUse(String why) {
    assertThatThrownBy(() -> acquire(work)).as(why).isInstanceOf(DirectoryInUseException.class);
  }

  private static Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }
}
