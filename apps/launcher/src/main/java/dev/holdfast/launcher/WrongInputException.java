package dev.holdfast.launcher;

import java.io.Serial;

/**
 * Thrown when a file or directory that the user has named cannot be used. Nothing was started or
 * changed.
 */
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
