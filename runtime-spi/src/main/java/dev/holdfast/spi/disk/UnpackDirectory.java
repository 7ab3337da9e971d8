package dev.holdfast.spi.disk;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A new directory in which a library unpacks its native code, which only this user can read.
 * Closing it deletes it: the operating system keeps mapped files. Windows refuses to delete what is
 * loaded; then it stays until the JVM ends.
 *
 * <p>A process that is killed in between leaves its directory, with several megabytes. So a new one
 * first deletes those that are older than an hour. Not thread-safe.
 */
public final class UnpackDirectory implements AutoCloseable {

  /** Longer than any process needs to load a library. */
  private static final Duration IN_USE_MAX = Duration.ofHours(1);

  private final Path path;

  private UnpackDirectory(Path path) {
    this.path = path;
  }

  /**
   * Creates the directory, and deletes those that killed processes have left.
   *
   * @param parent where it is created, such as the directory for temporary files
   * @param prefix the beginning of its name, the same each time
   * @return the directory
   * @throws IOException if it cannot be created
   */
  public static UnpackDirectory create(Path parent, String prefix) throws IOException {
    Path made = Files.createTempDirectory(parent, prefix);
    // Before the library registers its files: what is registered last is deleted first.
    made.toFile().deleteOnExit();
    deleteLeft(parent, prefix, made);
    return new UnpackDirectory(made);
  }

  /** {@return its path} */
  public Path path() {
    return path;
  }

  @Override
  public void close() {
    try {
      FileTree.delete(new FileDisk(), path);
    } catch (IOException e) {
      // What is loaded stays until the JVM ends, which deletes it if the library asks for that.
    }
  }

  /** The file system's clock gives the age: the new directory has the present time. */
  private static void deleteLeft(Path parent, String prefix, Path made) {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(parent, prefix + "*")) {
      long newMillis = Files.getLastModifiedTime(made).toMillis();
      for (Path each : found) {
        if (isOwn(each, made)
            && newMillis - Files.getLastModifiedTime(each).toMillis() > IN_USE_MAX.toMillis()
            && hasOnlyFiles(each)) {
          deleteIfUnused(each);
        }
      }
    } catch (IOException e) {
      // Another process deletes them too, or the next one does.
    }
  }

  /** Others may create anything in a directory for temporary files. */
  private static boolean isOwn(Path directory, Path made) throws IOException {
    return Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)
        && Files.getOwner(directory, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(made));
  }

  /** A directory into which a library was unpacked has no other one in it. */
  private static boolean hasOnlyFiles(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
          return false;
        }
      }
      return true;
    }
  }

  private static void deleteIfUnused(Path directory) {
    try {
      FileTree.delete(new FileDisk(), directory);
    } catch (IOException e) {
      // On Windows: a process still has the library loaded.
    }
  }
}
