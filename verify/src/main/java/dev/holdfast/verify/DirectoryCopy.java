package dev.holdfast.verify;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Copies a data directory that no runtime has open. */
final class DirectoryCopy {

  private DirectoryCopy() {}

  /** Copies everything but the lock, durably. */
  static void make(Disk disk, Path from, Path to) throws IOException {
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
              Path copy = to.resolve(from.relativize(file));
              if (!disk.hasRoomForCopy(to, attributes.size())) {
                throw new IOException(
                    "The disk of "
                        + to
                        + " has no room for a copy of "
                        + file
                        + ", which has "
                        + attributes.size()
                        + " bytes; name a target on another disk");
              }
              Files.copy(file, copy);
              force(disk, copy);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            disk.forceDirectory(to.resolve(from.relativize(directory)));
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void force(Disk disk, Path file) throws IOException {
    try (DiskFile open = disk.open(file, Mode.WRITE)) {
      open.force();
    }
  }

  /** Makes all files below a directory durable. */
  static void forceAll(Disk disk, Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            force(disk, file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            disk.forceDirectory(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /**
   * {@return the name under which a target is made until it is whole: a kill must not leave a part
   * of a directory, which could be opened as if it were all}
   *
   * @throws DataDirectoryException if a repair that was killed has left one
   */
  static Path unfinished(Path target) throws IOException {
    Path unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
    if (Files.exists(unfinished)) {
      throw new DataDirectoryException(
          unfinished, "A repair was interrupted and has left this directory; remove it", null);
    }
    requireEmpty(target);
    return unfinished;
  }

  /** Gives a whole copy its name, when all that is in it is durable. */
  static void finish(Disk disk, Path unfinished, Path target) throws IOException {
    forceAll(disk, unfinished); // recovery makes durable only what it needs
    Files.deleteIfExists(target); // empty
    disk.move(unfinished, target);
    disk.forceDirectory(target.toAbsolutePath().resolveSibling(".").normalize());
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
