package dev.holdfast.runtime.internal.turn;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.spi.ObjectKey;
import org.jspecify.annotations.Nullable;

/** Why an instance was reset. Thread-safe. */
final class Reset {

  private final ObjectKey key;
  private final String message;
  private final @Nullable Throwable cause;

  /**
   * What the notice depends on: message and cause may quote state that is not yet durable, so they
   * pass the output gate like any reply.
   */
  private final long position;

  private volatile @Nullable InstanceResetException dismissal;

  Reset(ObjectKey key, String message, @Nullable Throwable cause, long position) {
    this.key = key;
    this.message = message;
    this.cause = cause;
    this.position = position;
  }

  long position() {
    return position;
  }

  /** Returns what a call in flight gets: a fresh exception, with the stack of its thread. */
  InstanceResetException toException(boolean wrote) {
    return new InstanceResetException(
        key.namespace(),
        key.id(),
        message,
        wrote ? WriteOutcome.UNKNOWN : WriteOutcome.NOT_WRITTEN,
        cause);
  }

  /**
   * Returns what events get that never ran: one exception for all. They have no thread whose stack
   * could say more, and to make 100,000 of them took seconds.
   */
  InstanceResetException dismissal() {
    InstanceResetException made = dismissal;
    if (made == null) {
      made = toException(/* wrote= */ false);
      dismissal = made;
    }
    return made;
  }
}
