package dev.holdfast.runtime.internal.turn;

/**
 * The stack of a caller whose call has failed on another thread: suppressed by the failure, which
 * has the stack of the object code. A blocking call that succeeds makes none; an asynchronous one
 * makes it at the call, and only if the runtime is one for tests.
 */
public final class CalledFrom extends Throwable {

  private static final long serialVersionUID = 1L;

  private final boolean isAsynchronous;

  private CalledFrom(Thread caller, boolean isAsynchronous) {
    super(
        (isAsynchronous ? "The asynchronous call" : "The call")
            + " was made by the thread \""
            + caller.getName()
            + "\":");
    this.isAsynchronous = isAsynchronous;
  }

  /**
   * Adds the stack of the current thread to a failure. Adds only one: a reset fails many calls with
   * one exception.
   */
  static void attachTo(Throwable failure) {
    if (!isIn(failure, /* isAsynchronous= */ false)) {
      failure.addSuppressed(new CalledFrom(Thread.currentThread(), /* isAsynchronous= */ false));
    }
  }

  /** {@return the stack of the current thread, which makes an asynchronous call} */
  public static CalledFrom here() {
    return new CalledFrom(Thread.currentThread(), /* isAsynchronous= */ true);
  }

  /**
   * Adds this stack of an asynchronous call to a failure that has none of these.
   *
   * @param failure of the call
   */
  public void addTo(Throwable failure) {
    if (!isIn(failure, isAsynchronous)) {
      failure.addSuppressed(this);
    }
  }

  private static boolean isIn(Throwable failure, boolean isAsynchronous) {
    for (Throwable each : failure.getSuppressed()) {
      if (each instanceof CalledFrom known && known.isAsynchronous == isAsynchronous) {
        return true;
      }
    }
    return false;
  }
}
