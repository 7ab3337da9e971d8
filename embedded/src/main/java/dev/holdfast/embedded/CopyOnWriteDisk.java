package dev.holdfast.embedded;

import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A disk on which some files are symbolic links to files of another directory, which must not
 * change: the first opening for writing replaces the link by a copy. Nothing here outlives the
 * process, so nothing is synced. Thread-safe, as far as no two threads open one file for the first
 * time.
 */
final class CopyOnWriteDisk extends UnsyncedDisk {

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    if (mode != Mode.READ && Files.isSymbolicLink(file)) {
      Path copy = file.resolveSibling(file.getFileName() + ".copy");
      Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE);
    }
    return super.open(file, mode);
  }
}
