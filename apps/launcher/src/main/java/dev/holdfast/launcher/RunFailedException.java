package dev.holdfast.launcher;

import java.io.Serial;

/**
 * Thrown when a run cannot continue, with a reason that the user reads as one sentence, without a
 * stack.
 */
public final class RunFailedException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what happened and what to do
   */
  public RunFailedException(String message) {
    super(message);
  }
}
