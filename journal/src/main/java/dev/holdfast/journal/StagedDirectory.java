package dev.holdfast.journal;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.disk.FreeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A data directory that is made beside its place, and appears when it is complete and durable. What
 * is left of a process that was killed is deleted by the next one. Stateless.
 */
public final class StagedDirectory {

  private static final String DATA = "data";
  private static final String WORK = "work";

  /** What a place has while a directory is made there. */
  private static final Set<String> OWN = Set.of(DATA, WORK, DirectoryLock.FILE_NAME);

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
   * Makes a data directory. Another process that makes it is kept out: of two, the first to end
   * would give the name to what the other one has written by then.
   *
   * @param to the directory; missing or empty
   * @param suffix follows its name in the name of the place where it is made
   * @param disk where it is
   * @param source the directory that the making reads; null for none
   * @param making makes it
   * @param <R> what the making returns
   * @return what the making returns
   * @throws DataDirectoryException if the directory is not empty, or cannot be written; if the
   *     place has other files than an earlier try, or the place is in the source, or the source in
   *     it: nothing was changed
   * @throws dev.holdfast.DirectoryInUseException if another process makes it
   */
  public static <R> R make(
      Path to, String suffix, Disk disk, @Nullable Path source, Making<R> making) {
    Path target = to.toAbsolutePath();
    FreeDirectory.require(target); // before the lock, which would create a directory beside it
    Path place = target.resolveSibling(target.getFileName() + suffix);
    Path data = place.resolve(DATA);
    try {
      requireOwn(disk, place);
      if (source != null) {
        requireApart(place, source);
      }
    } catch (IOException e) {
      throw new DataDirectoryException(place, "The directory cannot be read: " + e, e);
    }
    try (DirectoryLock lock = DirectoryLock.acquire(place, disk)) {
      R made = makeOrDelete(place, data, target, disk, making);
      lock.requireHeld();
      giveName(disk, data, target);
      FileTree.delete(disk, place); // under the lock
      return made;
    } catch (IOException e) {
      throw new DataDirectoryException(target, "The directory cannot be written: " + e, e);
    }
  }

  /** The place is deleted at the end: it must have nothing that somebody else has put there. */
  private static void requireOwn(Disk disk, Path place) throws IOException {
    for (Path each : disk.list(place)) {
      if (!OWN.contains(String.valueOf(each.getFileName()))) {
        throw new DataDirectoryException(
            place,
            "The directory would be made here and has other files, such as "
                + each.getFileName()
                + ". Move them, or give another name to what is made; nothing was changed",
            null);
      }
    }
  }

  private static void requireApart(Path place, Path source) throws IOException {
    if (!Files.exists(source)) {
      return; // the making refuses it
    }
    Path from = source.toRealPath();
    Path at = realPath(place);
    if (from.startsWith(at) || at.startsWith(from)) {
      throw new DataDirectoryException(
          place,
          "The directory would be made here, which is not apart from what is read, "
              + source
              + ". Give another name to what is made; nothing was changed",
          null);
    }
  }

  /** {@return where a path leads; what is missing of it is made there} */
  private static Path realPath(Path path) throws IOException {
    Path found = path;
    while (!Files.exists(found)) {
      found = Objects.requireNonNull(found.getParent(), "a root is there");
    }
    return found.toRealPath().resolve(found.relativize(path));
  }

  private static <R> R makeOrDelete(Path place, Path data, Path target, Disk disk, Making<R> making)
      throws IOException {
    try {
      FreeDirectory.require(target); // another process may have made it meanwhile
      Path work = place.resolve(WORK);
      FileTree.delete(disk, work);
      FileTree.delete(disk, data);
      disk.createDirectories(work);
      return making.make(work, data);
    } catch (IOException | RuntimeException e) {
      try {
        FileTree.delete(disk, place); // under the lock
      } catch (IOException left) {
        e.addSuppressed(left); // the next process deletes it
      }
      throw e;
    }
  }

  private static void giveName(Disk disk, Path data, Path target) throws IOException {
    try {
      disk.delete(target); // empty
      disk.move(data, target);
    } catch (IOException e) {
      throw new DataDirectoryException(
          target,
          "The directory is complete in "
              + data
              + ", and cannot get its name. Move it, or repeat this with a name whose place is"
              + " free",
          e);
    }
    disk.forceDirectory(Objects.requireNonNull(target.getParent()));
  }
}
