package dev.holdfast.verify;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A directory for copies, deleted when it is closed. */
record ScratchDirectory(Path path) implements AutoCloseable {

  /** Creates one; only its owner can read it. */
  static ScratchDirectory in(Path parent) throws IOException {
    return new ScratchDirectory(Files.createTempDirectory(parent, "holdfast-verify-"));
  }

  @Override
  public void close() throws IOException {
    delete(path);
  }

  /** Deletes a directory with all that is in it; symbolic links are not followed. */
  static void delete(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
