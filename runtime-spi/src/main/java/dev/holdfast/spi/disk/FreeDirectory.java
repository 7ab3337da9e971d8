package dev.holdfast.spi.disk;

import dev.holdfast.errors.DataDirectoryException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Whether a place is free for a new directory. Stateless. */
public final class FreeDirectory {

  private FreeDirectory() {}

  /**
   * Refuses a directory that has something.
   *
   * @param target the directory; missing or empty
   * @throws DataDirectoryException if it is not, or cannot be read
   */
  public static void require(Path target) {
    if (target.toAbsolutePath().getParent() == null || !isFree(target)) {
      throw new DataDirectoryException(target, "The directory is not empty. Name a new one", null);
    }
  }

  private static boolean isFree(Path directory) {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      return !entries.iterator().hasNext();
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The directory cannot be read", e);
    }
  }
}
