package dev.holdfast.faults;

import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.TreeMap;

/**
 * Copies the directory of an open runtime that nobody calls: what a kill at this moment leaves. A
 * runtime still works in the background, on files that it renames and deletes; so the copy is made
 * again until nothing has changed while it was made. Stateless.
 */
public final class CopyAtRest {

  private CopyAtRest() {}

  /**
   * Copies a directory.
   *
   * @param from the directory
   * @param to its copy, which does not exist
   * @throws IOException if it cannot be copied
   */
  public static void of(Path from, Path to) throws IOException {
    while (true) {
      Map<Path, String> before = times(from);
      try {
        copy(from, to);
        if (times(from).equals(before)) {
          return;
        }
      } catch (NoSuchFileException e) {
        // Renamed or deleted meanwhile: the next copy does not look for it.
      }
      FileTree.delete(new FileDisk(), to);
    }
  }

  private static Map<Path, String> times(Path directory) throws IOException {
    Map<Path, String> times = new TreeMap<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            times.put(file, attributes.lastModifiedTime() + " " + attributes.size());
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            times.put(file, "gone");
            return FileVisitResult.CONTINUE;
          }
        });
    return times;
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(to.resolve(from.relativize(directory)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              Files.copy(file, to.resolve(from.relativize(file)));
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
