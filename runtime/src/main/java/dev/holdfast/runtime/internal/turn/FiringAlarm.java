package dev.holdfast.runtime.internal.turn;

/**
 * The alarm of an object whose handler runs. Its removal is <em>deferred</em>: it is still stored,
 * because a crash must bring it back, and goes with the last turn of the handler, unless the object
 * sets it again or deletes it before. Meanwhile the object does not see it.
 *
 * <p>Confined to the object's turn.
 */
public final class FiringAlarm {

  private final String name;
  private boolean deferred = true;

  /**
   * Records that a handler is about to run.
   *
   * @param name the name of the alarm
   */
  public FiringAlarm(String name) {
    this.name = name;
  }

  /**
   * {@return whether this alarm runs and was neither set again nor deleted}
   *
   * @param alarm the name of an alarm
   */
  public boolean hides(String alarm) {
    return deferred && name.equals(alarm);
  }

  /** {@return whether the stored alarm goes when the handler has ended} */
  public boolean isDeferred() {
    return deferred;
  }

  /**
   * Records that an alarm was set or deleted: what is stored now is no longer the one that runs.
   *
   * @param alarm the name of the alarm
   */
  public void replaced(String alarm) {
    if (name.equals(alarm)) {
      deferred = false;
    }
  }

  /**
   * Brings back what was so when a transaction began, which is rolled back.
   *
   * @param before what {@link #isDeferred} said then
   */
  public void restore(boolean before) {
    deferred = before;
  }
}
