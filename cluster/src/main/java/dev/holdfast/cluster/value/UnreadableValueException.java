package dev.holdfast.cluster.value;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A value that came from another node is none of the declared type. */
public final class UnreadableValueException extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message which value, and what is wrong with it
   * @param cause the error of the codec, or null
   */
  public UnreadableValueException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
