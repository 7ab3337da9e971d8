package dev.holdfast.runtime.internal.turn;

/** Notified when an instance is gone. */
@FunctionalInterface
public interface InstanceEnd {

  /**
   * Called once, when no turn of the instance runs or ever will and its store was released. No lock
   * is held.
   */
  void terminated();
}
