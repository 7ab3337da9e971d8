package dev.holdfast.embedded;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * A disk on which some files are symbolic links to files of another directory, which must not
 * change: the first opening for writing replaces the link by a copy. Thread-safe, as far as no two
 * threads open one file for the first time.
 */
final class CopyOnWriteDisk implements Disk {

  private final Disk disk = new FileDisk();

  @Override
  public DiskFile open(Path file, Mode mode) throws IOException {
    if (mode != Mode.READ && Files.isSymbolicLink(file)) {
      Path copy = file.resolveSibling(file.getFileName() + ".copy");
      Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE);
    }
    return disk.open(file, mode);
  }

  @Override
  public boolean exists(Path path) {
    return disk.exists(path);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    return disk.list(directory);
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    disk.createDirectories(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    disk.delete(file); // the link, not what it leads to
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    disk.move(from, to);
  }

  /** Nothing here outlives the process. */
  @Override
  public void forceDirectory(Path directory) {}

  @Override
  public long usableBytes(Path directory) throws IOException {
    return disk.usableBytes(directory);
  }

  @Override
  public long totalBytes(Path directory) throws IOException {
    return disk.totalBytes(directory);
  }

  @Override
  public boolean isWritable(Path directory) {
    return disk.isWritable(directory);
  }
}
