package dev.holdfast.runtime.internal.gate;

/** What is left to do by the thread that has shut a gate. Confined to that thread. */
public final class Dismissal {

  private final WaiterQueue dismissed = new WaiterQueue();
  private boolean wasHeld;

  /** Creates it for one gate that is to be shut. */
  public Dismissal() {}

  /** Where the gate puts the waiters of all its queues. */
  WaiterQueue dismissed() {
    return dismissed;
  }

  void setWasHeld(boolean held) {
    wasHeld = held;
  }

  /**
   * {@return whether to clean up after the gate, because no thread held the turn; otherwise the
   * holder will, at its release}
   */
  public boolean isCleaner() {
    return !wasHeld;
  }

  /**
   * Notifies the waiters, one after the other, in the order of their arrival; all of them, also if
   * one throws something.
   */
  public void dismissAll() {
    for (Waiter each = dismissed.poll(); each != null; each = dismissed.poll()) {
      try {
        each.dismissed();
      } catch (RuntimeException | Error e) {
        dismissAll();
        throw e;
      }
    }
  }
}
