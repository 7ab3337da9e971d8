package dev.holdfast.runtime.internal.turn;

import java.io.Serial;

/**
 * Unwinds a thread that runs code of an instance which has been reset. An {@code Error}, so that no
 * {@code catch (Exception)} of object code stops it; code that catches it all the same meets it
 * again at its next use of the context, and its result is dropped in any case. Never reaches a
 * caller: the edge of the event turns it into an {@link dev.holdfast.InstanceResetException}.
 */
public final class ResetError extends Error {

  @Serial private static final long serialVersionUID = 1L;

  ResetError(String object) {
    super(
        "The instance of " + object + " was reset; its code must not go on.",
        null,
        /* enableSuppression= */ false,
        /* writableStackTrace= */ false);
  }
}
