package dev.holdfast.alarm;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * An alarm handler throws this when another try would be useless. The runtime gives the alarm up at
 * once, as after the last retry: it reports the alarm and keeps it for an operator.
 */
public final class AbandonAlarmException extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message why another try would be useless
   * @param cause the reason, or null
   */
  public AbandonAlarmException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
