package dev.holdfast.spi.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileDiskTest {

  private final FileDisk disk = new FileDisk();

  @TempDir Path directory;

  @AfterEach
  void clearInterrupt() {
    boolean ignored = Thread.interrupted();
  }

  @Test
  void writtenBytesAreReadBackAtTheirOffset() throws IOException {
    try (DiskFile file = disk.open(directory.resolve("f"), Disk.Mode.CREATE)) {
      file.write(new byte[] {0, 1, 2, 3}, 1, 3, 5);
      byte[] read = new byte[10];
      assertThat(file.read(read, 1, 9, 4)).isEqualTo(4);
      assertThat(read).containsExactly(0, 0, 1, 2, 3, 0, 0, 0, 0, 0);
      assertThat(file.read(read, 0, 1, 8)).isZero();
      assertThat(file.size()).isEqualTo(8);
    }
  }

  @Test
  void whatIsMadeIsForItsOwnerAlone() throws IOException {
    Path made = directory.resolve("a/b");
    disk.createDirectories(made);
    disk.open(made.resolve("f"), Disk.Mode.CREATE).close();
    FileDisk.createNew(made.resolve("g"));

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .isEqualTo("rwx------");
    for (String file : List.of("f", "g")) {
      assertThat(Files.getPosixFilePermissions(made.resolve(file)))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
    assertThatThrownBy(() -> FileDisk.createNew(made.resolve("g")))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void interruptNeitherEndsAnOperationNorClosesTheFile() throws IOException {
    try (DiskFile file = disk.open(directory.resolve("f"), Disk.Mode.CREATE)) {
      Thread.currentThread().interrupt();
      file.write(new byte[] {7}, 0, 1, 0);
      file.force();
      disk.forceDirectory(directory);
      file.force();
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      assertThat(file.read(new byte[1], 0, 1, 0)).isEqualTo(1);
    }
  }

  @Test
  void missingFileIsNeitherReadNorCreatedForWriting() {
    Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> disk.open(missing, Disk.Mode.READ))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> disk.open(missing, Disk.Mode.WRITE))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(disk.exists(missing)).isFalse();
  }

  @Test
  void fileOpenedForReadingCannotBeWritten() throws IOException {
    Path path = Files.write(directory.resolve("f"), new byte[] {1});
    try (DiskFile file = disk.open(path, Disk.Mode.READ)) {
      assertThatThrownBy(() -> file.write(new byte[] {2}, 0, 1, 0)).isInstanceOf(IOException.class);
      file.force();
    }
  }

  @Test
  void truncateCutsAndNeverGrows() throws IOException {
    try (DiskFile file = disk.open(directory.resolve("f"), Disk.Mode.CREATE)) {
      file.write(new byte[10], 0, 10, 0);
      file.truncate(4);
      assertThat(file.size()).isEqualTo(4);
      assertThatThrownBy(() -> file.truncate(5)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void entriesAreListedInOrderOfName() throws IOException {
    Files.write(directory.resolve("b"), new byte[0]);
    Files.write(directory.resolve("a"), new byte[0]);
    assertThat(disk.list(directory))
        .containsExactly(directory.resolve("a"), directory.resolve("b"));
    assertThat(disk.list(directory.resolve("none"))).isEmpty();
  }

  @Test
  void moveReplacesItsTargetAndDeleteForgivesAMissingFile() throws IOException {
    Path from = Files.write(directory.resolve("from"), new byte[] {1});
    Path to = Files.write(directory.resolve("to"), new byte[] {2});
    disk.move(from, to);
    assertThat(Files.readAllBytes(to)).containsExactly(1);
    disk.delete(from);
    disk.delete(to);
    assertThat(disk.list(directory)).isEmpty();
  }

  @Test
  void directoriesAreMadeWithTheirParentsUnlessAFileIsInTheWay() throws IOException {
    disk.createDirectories(directory.resolve("x/y/z"));
    assertThat(directory.resolve("x/y/z")).isDirectory();
    Path file = Files.write(directory.resolve("file"), new byte[0]);
    assertThatThrownBy(() -> disk.createDirectories(file.resolve("sub")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void directoryIsEnsuredWhetherItIsThereOrNotAlsoAsALink() throws IOException {
    disk.ensureDirectory(directory.resolve("x/y"));
    disk.ensureDirectory(directory.resolve("x/y"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("x"));
    disk.ensureDirectory(link);
    disk.ensureDirectory(link.resolve("z"));
    assertThat(directory.resolve("x/z")).isDirectory();
  }

  @Test
  void usableBytesOfAWritableDirectoryArePositive() throws IOException {
    assertThat(disk.usableBytes(directory)).isPositive();
  }
}
