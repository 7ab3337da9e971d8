package dev.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class MemoryDiskTest {

  @Test
  void directoryIsDeletedWithItsFiles() throws IOException {
    MemoryDisk disk = new MemoryDisk();
    Path directory = Path.of("in-memory-only/directory");
    disk.createDirectories(directory);
    disk.open(directory.resolve("file"), Mode.CREATE).close();
    FileTree.delete(disk, directory);
    assertThat(disk.exists(directory.resolve("file"))).isFalse();
  }
}
