package dev.holdfast.runtime.internal.gate;

/** What is left to do by the thread that has shut a gate. Owned by that thread. */
public final class Dismissal {

  private final WaiterQueue dismissed;
  private final boolean wasHeld;

  Dismissal(WaiterQueue dismissed, boolean wasHeld) {
    this.dismissed = dismissed;
    this.wasHeld = wasHeld;
  }

  /**
   * {@return whether to clean up behind the gate, because nobody held the turn; otherwise the
   * holder will, at its release}
   */
  public boolean isCleaner() {
    return !wasHeld;
  }

  /** Tells everybody who waited, one after the other, in the order of their arrival. */
  public void tellEverybody() {
    for (Waiter each = dismissed.poll(); each != null; each = dismissed.poll()) {
      each.dismissed();
    }
  }
}
