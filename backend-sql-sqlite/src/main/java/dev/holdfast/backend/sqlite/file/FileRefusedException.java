package dev.holdfast.backend.sqlite.file;

import java.io.IOException;
import java.io.Serial;

/**
 * A file is not what was saved. Nothing was changed; the message says what is wrong with the file.
 */
public final class FileRefusedException extends IOException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong, to follow the word "file"
   */
  public FileRefusedException(String message) {
    super(message);
  }
}
