package dev.holdfast.launcher;

import java.io.Serial;

/** What the user has named cannot be used: a file, a directory. Nothing was begun or changed. */
public final class WrongInputException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what is wrong and what to do
   */
  public WrongInputException(String message) {
    super(message);
  }
}
