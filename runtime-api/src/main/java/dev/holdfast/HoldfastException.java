package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The root of everything the runtime itself throws. Exceptions of object code are not wrapped: they
 * reach the caller as they are. The message says what happened and what to do.
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
