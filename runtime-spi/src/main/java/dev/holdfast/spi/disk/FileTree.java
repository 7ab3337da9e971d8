package dev.holdfast.spi.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
    if (!Files.isRegularFile(path) && !Files.isSymbolicLink(path)) {
      for (Path each : disk.list(path)) {
        delete(disk, each);
      }
    }
    disk.delete(path);
  }
}
