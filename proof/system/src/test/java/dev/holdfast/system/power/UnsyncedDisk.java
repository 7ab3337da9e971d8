package dev.holdfast.system.power;

import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.nio.file.Path;

/** A disk that says it has synced a file and has not: what the power tests must find out. */
final class UnsyncedDisk extends ForwardingDisk {

  UnsyncedDisk(Disk disk) {
    super(disk);
  }

  @Override
  protected void force(Path path, DiskFile file) {}
}
