package dev.holdfast;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by an alarm handler to say that another try would be useless. The alarm is given up at
 * once, as after the last retry: it is reported and kept for an operator to look at.
 */
public final class AbandonAlarmException extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message why
   * @param cause what went wrong, or null
   */
  public AbandonAlarmException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
