package dev.holdfast.log.ratis;

import dev.holdfast.HoldfastException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The log of a shard has stopped on this node; the other nodes go on. The message says what to do:
 * open the shard again here, or replace this node by another.
 */
public final class LogStoppedException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message what happened and what to do
   * @param cause the reason, or null
   */
  public LogStoppedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
