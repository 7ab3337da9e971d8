package dev.holdfast.spi.disk;

import dev.holdfast.errors.DataDirectoryException;
import java.nio.file.Path;

/** The refusal of files whose format is of another version. Stateless. */
public final class FormatVersion {

  private FormatVersion() {}

  /**
   * Refuses a file; nothing was changed.
   *
   * @param file the file
   * @param what is in it, as the beginning of a sentence: {@code The journal}
   * @param found the version of its format
   * @param known the only version that is read here
   * @return the exception
   */
  public static DataDirectoryException refusal(Path file, String what, long found, long known) {
    String writer =
        found > known
            ? " was written by a newer version of Holdfast; open it with that version"
            : " was written by an older version of Holdfast, whose format this one does not read."
                + " Export the objects with the version that wrote it, and import them into a new"
                + " directory";
    return new DataDirectoryException(file, what + writer + "; nothing was changed", null);
  }
}
