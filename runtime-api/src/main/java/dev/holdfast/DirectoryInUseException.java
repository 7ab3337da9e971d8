package dev.holdfast;

import java.io.Serial;
import java.nio.file.Path;

/** Another runtime, in this process or in another one, has the data directory open. */
public final class DirectoryInUseException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param directory the data directory
   */
  public DirectoryInUseException(Path directory) {
    super(
        "The data directory "
            + directory
            + " is in use by another runtime; close that one, or choose another directory.",
        null);
  }

  /**
   * Creates the exception for a directory whose owner has lost it to another runtime.
   *
   * @param directory the data directory
   * @param message what happened, and what to do
   */
  public DirectoryInUseException(Path directory, String message) {
    super(
        "The data directory " + directory + " is in use by another runtime: " + message + ".",
        null);
  }
}
