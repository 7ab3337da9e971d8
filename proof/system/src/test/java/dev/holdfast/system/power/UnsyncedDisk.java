package dev.holdfast.system.power;

import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.nio.file.Path;

/** A disk that reports syncs that it has not done: the power tests must detect it. */
final class UnsyncedDisk extends ForwardingDisk {

  UnsyncedDisk(Disk disk) {
    super(disk);
  }

  @Override
  protected void force(Path path, DiskFile file) {}
}
