package dev.holdfast.runtime.internal.turn;

/**
 * The stack of a caller whose call has failed on another thread: suppressed by the failure, which
 * has the stack of the object code. A call that succeeds makes none.
 */
final class CalledFrom extends Throwable {

  private static final long serialVersionUID = 1L;

  private CalledFrom(Thread caller) {
    super("The call was made by the thread \"" + caller.getName() + "\":");
  }

  /**
   * Adds the stack of the current thread to a failure. Adds only one: a reset fails many calls with
   * one exception.
   */
  static void attachTo(Throwable failure) {
    for (Throwable each : failure.getSuppressed()) {
      if (each instanceof CalledFrom) {
        return;
      }
    }
    failure.addSuppressed(new CalledFrom(Thread.currentThread()));
  }
}
