package dev.holdfast.embedded.parts;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FreeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A data directory that is made beside its place, and appears when it is complete and durable. What
 * is left of a process that was killed is deleted by the next one. Stateless.
 */
public final class StagedDirectory {

  private StagedDirectory() {}

  /**
   * Makes a data directory.
   *
   * @param <R> what the caller wants to know
   */
  public interface Making<R> {

    /**
     * Makes it durably.
     *
     * @param place an empty directory for what is needed meanwhile
     * @param data the directory; missing
     * @return what the caller wants to know
     * @throws IOException if it cannot be made
     */
    R make(Path place, Path data) throws IOException;
  }

  /**
   * Makes a data directory.
   *
   * @param to the directory; missing or empty
   * @param suffix follows its name in the name of the place where it is made
   * @param disk where it is
   * @param making makes it
   * @param <R> what the making returns
   * @return what the making returns
   * @throws DataDirectoryException if the directory is not empty, or cannot be written
   * @throws dev.holdfast.DirectoryInUseException if another process makes it
   */
  public static <R> R make(Path to, String suffix, Disk disk, Making<R> making) {
    Path target = to.toAbsolutePath();
    Path place = target.resolveSibling(target.getFileName() + suffix);
    try (DirectoryLock lock = DirectoryLock.acquire(place, disk)) {
      try {
        FreeDirectory.require(target);
        Path work = place.resolve("work");
        Path data = place.resolve("data");
        delete(work);
        delete(data);
        Files.createDirectory(work);
        R made = making.make(work, data);
        lock.requireHeld();
        Files.deleteIfExists(target); // empty
        Files.move(data, target, StandardCopyOption.ATOMIC_MOVE);
        disk.forceDirectory(Objects.requireNonNull(target.getParent()));
        return made;
      } finally {
        delete(place); // under the lock
      }
    } catch (IOException e) {
      throw new DataDirectoryException(target, "The directory cannot be written: " + e, e);
    }
  }

  private static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
          Files.delete(file);
        }
      }
    }
  }
}
