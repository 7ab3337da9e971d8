package dev.holdfast.runtime.internal.turn;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Why an instance was reset.
 *
 * @param message told to every call in flight
 * @param cause what went wrong, or null
 * @param position what the telling depends on: message and cause may quote state that is not yet
 *     durable, so they pass the output gate like any reply; {@link Journal#START} if they cannot
 */
public record Reset(String message, @Nullable Throwable cause, long position) {

  /**
   * Returns what a call in flight gets.
   *
   * @param key the object
   * @param wrote whether a batch of the call was handed to the journal
   * @return a fresh exception, with the stack of the thread that gets it
   */
  public InstanceResetException toException(ObjectKey key, boolean wrote) {
    return new InstanceResetException(
        key.namespace(),
        key.id(),
        message,
        wrote ? WriteOutcome.UNKNOWN : WriteOutcome.NOT_WRITTEN,
        cause);
  }
}
