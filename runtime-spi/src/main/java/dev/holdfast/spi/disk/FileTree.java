package dev.holdfast.spi.disk;

import dev.holdfast.spi.disk.Disk.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Directories with all that is in them. */
public final class FileTree {

  private FileTree() {}

  /** What is done with a file. */
  @FunctionalInterface
  public interface Visitor {

    /**
     * Visits a file.
     *
     * @param file the file
     * @throws IOException if that fails
     */
    void visit(Path file) throws IOException;
  }

  /**
   * Visits a file, or all files below a directory, in the order of their names.
   *
   * @param disk where it is
   * @param path the file or directory; may be missing
   * @param visitor what is done with each
   * @throws IOException if a directory cannot be read, or a visit fails
   */
  public static void forEach(Disk disk, Path path, Visitor visitor) throws IOException {
    if (Files.isDirectory(path)) {
      for (Path each : disk.list(path)) {
        forEach(disk, each, visitor);
      }
    } else if (disk.exists(path)) {
      visitor.visit(path);
    }
  }

  /**
   * Deletes a file, or a directory with all that is in it, if it is there; of a symbolic link, the
   * link. Nothing is synced.
   *
   * @param disk where it is
   * @param path the file or directory
   * @throws IOException if something cannot be deleted
   */
  public static void delete(Disk disk, Path path) throws IOException {
    // A disk in memory has directories that the file system does not know.
    if (isDirectory(path) || Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
      for (Path each : disk.list(path)) {
        delete(disk, each);
      }
    }
    disk.delete(path);
  }

  /** {@return whether it is a directory and not a link to one, which leads out of the tree} */
  private static boolean isDirectory(Path path) {
    return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * What was copied.
   *
   * @param files how many files
   * @param bytes their size
   */
  public record Copied(long files, long bytes) {

    private Copied plus(Copied other) {
      return new Copied(files + other.files, bytes + other.bytes);
    }
  }

  /**
   * Copies a directory that no process changes; symbolic links, and what is not a regular file, are
   * left out. Nothing is synced: see {@link #force}.
   *
   * @param disk where both are
   * @param from the directory
   * @param to the copy; missing
   * @param isCopied whether a file is copied, by its path relative to the directory
   * @return what was copied
   * @throws IOException if a file cannot be read or written, or the disk has no room for it
   */
  public static Copied copy(Disk disk, Path from, Path to, Predicate<Path> isCopied)
      throws IOException {
    return copy(disk, from, from, to, isCopied);
  }

  private static Copied copy(Disk disk, Path root, Path from, Path to, Predicate<Path> isCopied)
      throws IOException {
    disk.createDirectories(to);
    Copied copied = new Copied(0, 0);
    for (Path each : disk.list(from)) {
      Path copy = to.resolve(from.relativize(each));
      if (isDirectory(each)) {
        copied = copied.plus(copy(disk, root, each, copy, isCopied));
      } else if (Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)
          && isCopied.test(root.relativize(each))) {
        copied = copied.plus(new Copied(1, copyFile(disk, each, copy).bytes()));
      }
    }
    return copied;
  }

  /**
   * Copies a file that no process changes. Nothing is synced.
   *
   * @param disk where both are
   * @param from the file
   * @param to the copy; replaced
   * @return what the copy has
   * @throws IOException if the file cannot be read or the copy written, or the disk has no room
   */
  public static FileSum copyFile(Disk disk, Path from, Path to) throws IOException {
    try (DiskFile source = disk.open(from, Mode.READ);
        DiskFile copy = disk.open(clear(disk, to), Mode.CREATE)) {
      requireRoom(disk, from, to, source.size());
      return FileSum.copy(source, copy, Long.MAX_VALUE, 0);
    }
  }

  private static void requireRoom(Disk disk, Path from, Path to, long bytes) throws IOException {
    Path directory = to.toAbsolutePath().getParent();
    if (directory != null && !disk.hasRoomForCopy(directory, bytes)) {
      throw new IOException(
          "The disk of "
              + directory
              + " has no room for a copy of "
              + from
              + ", which has "
              + bytes
              + " bytes; name a target on another disk");
    }
  }

  /**
   * Prepares the place of a file: makes its directory, and deletes what is there.
   *
   * @param disk where it is
   * @param file the file
   * @return the file, which does not exist
   * @throws IOException if that fails
   */
  public static Path clear(Disk disk, Path file) throws IOException {
    ensureParent(disk, file);
    disk.delete(file);
    return file;
  }

  /**
   * Makes the directory of a file, if it is missing. Nothing is synced.
   *
   * @param disk where it is
   * @param file the file
   * @throws IOException if that fails
   */
  public static void ensureParent(Disk disk, Path file) throws IOException {
    Path parent = file.getParent();
    if (parent != null && !disk.exists(parent)) {
      disk.createDirectories(parent);
    }
  }

  /**
   * {@return the size of a file; -1 if there is none}
   *
   * @param disk where it is
   * @param file the file
   * @throws IOException if it cannot be read
   */
  public static long sizeOf(Disk disk, Path file) throws IOException {
    if (!disk.exists(file)) {
      return -1;
    }
    try (DiskFile open = disk.open(file, Mode.READ)) {
      return open.size();
    }
  }

  /**
   * Returns the size of all files below a directory.
   *
   * @param disk where it is
   * @param directory the directory; may be missing
   * @return the size in bytes
   * @throws IOException if it cannot be read
   */
  public static long bytesBelow(Disk disk, Path directory) throws IOException {
    long[] bytes = {0};
    forEach(disk, directory, file -> bytes[0] += Math.max(0, sizeOf(disk, file)));
    return bytes[0];
  }

  /**
   * Makes a directory durable with all that is in it.
   *
   * @param disk the disk that syncs
   * @param directory the directory, with no file open; may be missing
   * @throws IOException if that fails
   */
  public static void force(Disk disk, Path directory) throws IOException {
    if (!disk.exists(directory)) {
      return;
    }
    List<Path> files = new ArrayList<>();
    List<Path> directories = new ArrayList<>();
    collect(disk, directory, files, directories);
    forceFiles(disk, files);
    forceEach(disk, directories);
  }

  /**
   * Makes the names of all files below a directory durable, whose content is.
   *
   * @param disk where it is
   * @param directory the directory
   * @throws IOException if that fails
   */
  public static void forceTree(Disk disk, Path directory) throws IOException {
    List<Path> directories = new ArrayList<>();
    collect(disk, directory, new ArrayList<>(), directories);
    forceEach(disk, directories);
  }

  private static void collect(Disk disk, Path directory, List<Path> files, List<Path> directories)
      throws IOException {
    directories.add(directory);
    for (Path each : disk.list(directory)) {
      if (isDirectory(each)) {
        collect(disk, each, files, directories);
      } else {
        files.add(each);
      }
    }
  }

  /**
   * Makes the content of files durable, and not their names.
   *
   * @param disk where they are
   * @param files the files
   * @throws IOException if that fails
   */
  public static void forceFiles(Disk disk, Collection<Path> files) throws IOException {
    Syncs.all(files.stream().<Syncs.Sync>map(each -> () -> forceFile(disk, each)).toList());
  }

  private static void forceFile(Disk disk, Path file) throws IOException {
    try (DiskFile open = disk.open(file, Mode.WRITE)) {
      open.force();
    }
  }

  /**
   * Makes the names of files durable, new or deleted, and the names of their directories: a file in
   * a directory that is lost is lost, too.
   *
   * @param disk where they are
   * @param files the files; a directory of one may be missing
   * @param root the directory with all of them, whose own name is durable
   * @throws IOException if that fails
   */
  public static void forceNames(Disk disk, Collection<Path> files, Path root) throws IOException {
    Set<Path> directories = new HashSet<>();
    for (Path file : files) {
      Path each = file.getParent();
      while (each != null && each.startsWith(root) && directories.add(each)) {
        each = each.getParent();
      }
    }
    directories.removeIf(each -> !disk.exists(each));
    forceEach(disk, directories);
  }

  private static void forceEach(Disk disk, Collection<Path> directories) throws IOException {
    Syncs.all(
        directories.stream().<Syncs.Sync>map(each -> () -> disk.forceDirectory(each)).toList());
  }
}
