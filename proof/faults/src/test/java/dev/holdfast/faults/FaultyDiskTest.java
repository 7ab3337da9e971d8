package dev.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FaultyDiskTest {

  private static final byte[] TEN_BYTES = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

  private final FaultyDisk disk = new FaultyDisk(new FileDisk());

  @TempDir private Path directory;

  @Test
  void passesEverythingOnWhenHealthy() throws IOException {
    Path file = directory.resolve("a");
    try (DiskFile opened = disk.open(file, Mode.CREATE)) {
      opened.write(TEN_BYTES, 0, 10, 0);
      opened.force();
      opened.truncate(4);
      assertThat(opened.size()).isEqualTo(4);
      assertThat(opened.read(new byte[10], 0, 10, 1)).isEqualTo(3);
    }
    disk.createDirectories(directory.resolve("sub"));
    disk.move(file, directory.resolve("sub/b"));
    disk.forceDirectory(directory);

    assertThat(disk.exists(file)).isFalse();
    assertThat(disk.list(directory.resolve("sub"))).containsExactly(directory.resolve("sub/b"));
    assertThat(disk.usableBytes(directory)).isPositive();
    disk.delete(directory.resolve("sub/b"));
    assertThat(disk.list(directory.resolve("sub"))).isEmpty();
  }

  @Test
  void failsExactlyTheNthOperationOfAKind() throws IOException {
    try (DiskFile file = disk.open(directory.resolve("a"), Mode.CREATE)) {
      file.force();
      disk.fail(Operation.FORCE, 2);

      file.force();
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(file::force)
          .withMessageContaining("FORCE")
          .withMessageContaining("a");
      file.force();

      assertThat(disk.count(Operation.FORCE)).isEqualTo(4);
    }
  }

  @Test
  void cutWriteLeavesTheBeginning() throws IOException {
    try (DiskFile file = disk.open(directory.resolve("a"), Mode.CREATE)) {
      disk.cutWrite(1, 3);

      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> file.write(TEN_BYTES, 0, 10, 0))
          .withMessageContaining("3 of 10 bytes");
    }
    assertThat(Files.readAllBytes(directory.resolve("a"))).containsExactly(0, 1, 2);
  }

  @Test
  void fullDiskTakesWhatFitsAndOverwritesStillSucceed() throws IOException {
    try (DiskFile file = disk.open(directory.resolve("a"), Mode.CREATE)) {
      file.write(TEN_BYTES, 0, 10, 0);
      disk.limitSpace(4);
      assertThat(disk.usableBytes(directory)).isEqualTo(4);

      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> file.write(TEN_BYTES, 0, 10, 8))
          .withMessageContaining("No space left");

      assertThat(file.size()).isEqualTo(14);
      file.write(TEN_BYTES, 0, 10, 4);
    }
  }

  @Test
  void cuttingAndDeletingMakesRoom() throws IOException {
    try (DiskFile file = disk.open(directory.resolve("a"), Mode.CREATE)) {
      file.write(TEN_BYTES, 0, 10, 0);
      disk.limitSpace(0);
      file.truncate(6);
    }
    assertThat(disk.usableBytes(directory)).isEqualTo(4);

    disk.delete(directory.resolve("a"));

    assertThat(disk.usableBytes(directory)).isEqualTo(10);
  }

  @Test
  void faultsConcernOnlyTheChosenPaths() throws IOException {
    disk.affectOnly(path -> path.endsWith("journal"));
    disk.fail(Operation.OPEN, 1);

    disk.open(directory.resolve("other"), Mode.CREATE).close();

    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> disk.open(directory.resolve("journal"), Mode.CREATE));
    assertThat(disk.count(Operation.OPEN)).isEqualTo(1);
  }

  @Test
  void healedDiskWorksAgain() throws IOException {
    disk.fail(Operation.FORCE, 1);
    disk.limitSpace(0);
    disk.delayForce(Duration.ofDays(1));

    disk.heal();

    try (DiskFile file = disk.open(directory.resolve("a"), Mode.CREATE)) {
      file.write(TEN_BYTES, 0, 10, 0);
      file.force();
    }
  }

  @Test
  void delayedForceStillForces() throws IOException {
    disk.delayForce(Duration.ofNanos(1));
    try (DiskFile file = disk.open(directory.resolve("a"), Mode.CREATE)) {
      file.force();
    }
    assertThat(disk.count(Operation.FORCE)).isEqualTo(1);
  }
}
