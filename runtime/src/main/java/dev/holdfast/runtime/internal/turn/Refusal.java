package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.MisuseException;

/** Says why a thread must not use an object's context. Stateless. */
final class Refusal {

  private Refusal() {}

  /** Returns why the current thread must not; for want of a better time, a reset unwinds here. */
  static MisuseException of(Turns turns) {
    Execution own = ExecutionStack.current().top();
    while (own != null && own.turns() != turns) {
      own = own.outer();
    }
    if (own != null && turns.isReset()) {
      throw new ResetError(turns.key().toString());
    }
    String message =
        own != null
            ? "The turn has ended: work given to call(), and code of other objects, must not use"
                + " this context."
            : "This context may be used only by the thread that runs the object's current turn, and"
                + " only until the instance is reset or evicted; call the object through its stub,"
                + " or start a strand with async().";
    return new MisuseException(
        turns.key().namespace(), turns.key().id(), MisuseException.Reason.OUTSIDE_OF_TURN, message);
  }
}
