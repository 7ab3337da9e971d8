package dev.holdfast.spi.log;

import dev.holdfast.HoldfastException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A change of the nodes that keep a log was refused or given up. It may have taken effect all the
 * same, or take effect later.
 */
public final class ConfigurationChangeException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what happened, and what to do
   * @param cause the reason, or null
   */
  public ConfigurationChangeException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
