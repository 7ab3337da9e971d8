package dev.holdfast.spi.backup;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * Copies of files beside the data, before they go elsewhere: a view is held only while its files
 * are copied on the disk, never while somebody else is waited for. Nothing here survives the
 * process, so nothing is synced.
 *
 * <p>Confined to one thread at a time.
 */
public final class StagedCopies implements BackupTarget {

  private final Disk disk;
  private final Path directory;
  private final BooleanSupplier isClosing;
  private final TreeSet<String> names = new TreeSet<>();
  private final Map<String, String> versions = new HashMap<>();

  /**
   * Creates it; touches no file.
   *
   * @param disk the disk of the data
   * @param directory receives the copies; nothing else uses it
   * @param isClosing whether the copy must end at its next file
   */
  public StagedCopies(Disk disk, Path directory, BooleanSupplier isClosing) {
    this.disk = disk;
    this.directory = directory;
    this.isClosing = isClosing;
  }

  /** {@return the names of the files, sorted} */
  public List<String> names() {
    return new ArrayList<>(names);
  }

  /**
   * {@return the copy of a file}
   *
   * @param name its name
   */
  public Path fileOf(String name) {
    return directory.resolve(name);
  }

  @Override
  public boolean keep(String name, String version) throws IOException {
    requireOpen();
    return version.equals(versions.get(name));
  }

  @Override
  public void put(Source source) throws IOException {
    requireOpen();
    Path to = prepare(source.name());
    if (!source.link(to)) {
      requireRoom(Math.min(source.part().bytes(), Files.size(source.file())));
      try (DiskFile copy = disk.open(to, Mode.CREATE)) {
        source.copy(disk, copy);
      }
    }
    names.add(source.name());
    String version = source.version().get();
    if (version != null) {
      versions.put(source.name(), version);
    }
  }

  @Override
  public void put(String name, byte[] content) throws IOException {
    requireOpen();
    try (DiskFile file = disk.open(prepare(name), Mode.CREATE)) {
      file.write(content, 0, content.length, 0);
    }
    names.add(name);
  }

  private void requireOpen() throws IOException {
    if (isClosing.getAsBoolean()) {
      throw new IOException("The runtime is closed before the copy of its files is complete");
    }
  }

  private Path prepare(String name) throws IOException {
    versions.remove(name);
    return FileTree.clear(disk, directory.resolve(name));
  }

  private void requireRoom(long bytes) throws IOException {
    if (!disk.hasRoomForCopy(directory, bytes)) {
      throw new IOException(
          "The disk of the data directory has no room for a copy of its files, which an image needs"
              + " for a time");
    }
  }

  /**
   * Deletes the files, and what a process that was killed has left.
   *
   * @throws IOException if one cannot be deleted
   */
  public void delete() throws IOException {
    FileTree.delete(disk, directory);
    names.clear();
    versions.clear();
  }
}
