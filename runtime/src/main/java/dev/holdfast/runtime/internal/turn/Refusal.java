package dev.holdfast.runtime.internal.turn;

import dev.holdfast.errors.MisuseException;

/** Says why a thread must not use an object's context. Stateless. */
final class Refusal {

  private Refusal() {}

  /**
   * Returns why the current thread must not; a thread of an instance that was reset unwinds here.
   */
  static MisuseException of(Turn turn) {
    Execution own = ExecutionStack.current().top();
    while (own != null && own.turn() != turn) {
      own = own.outer();
    }
    if (own != null && turn.isReset()) {
      throw new ResetError(turn.key().toString());
    }
    String message =
        own != null
            ? "The turn has ended: work given to call(), and code of other objects, must not use"
                + " this context."
            : "This context may be used only by the thread that runs the object's current turn, and"
                + " only until the instance is reset or evicted; call the object through its stub,"
                + " or start a task with async().";
    return new MisuseException(
        turn.key().namespace(), turn.key().id(), MisuseException.Reason.OUTSIDE_OF_TURN, message);
  }
}
