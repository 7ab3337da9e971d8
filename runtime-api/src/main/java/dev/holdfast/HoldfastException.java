package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The root of all exceptions of the runtime itself. The message says what happened and what to do.
 * Exceptions of object code are not wrapped; they reach the caller unchanged.
 */
public abstract class HoldfastException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * For subclasses.
   *
   * @param message what happened and what to do
   * @param cause the reason, or null
   */
  protected HoldfastException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
