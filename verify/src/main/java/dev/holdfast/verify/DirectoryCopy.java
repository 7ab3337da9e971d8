package dev.holdfast.verify;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;

/** Copies a data directory that no runtime has open. */
final class DirectoryCopy {

  private DirectoryCopy() {}

  /**
   * Copies everything but the lock.
   *
   * @throws DataDirectoryException if the target exists and is not empty
   */
  static void make(Path from, Path to) throws IOException {
    FileDisk disk = new FileDisk();
    requireEmpty(to);
    disk.createDirectories(to);
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            disk.createDirectories(to.resolve(from.relativize(directory)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile() && !file.equals(from.resolve("LOCK"))) {
              Files.copy(file, to.resolve(from.relativize(file)));
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  static void requireEmpty(Path target) throws IOException {
    if (!Files.exists(target)) {
      return;
    }
    try (Stream<Path> entries = Files.list(target)) {
      if (entries.findAny().isPresent()) {
        throw new DataDirectoryException(
            target, "The target is not empty; name a directory that does not exist", null);
      }
    }
  }
}
