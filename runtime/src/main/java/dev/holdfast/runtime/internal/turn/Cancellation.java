package dev.holdfast.runtime.internal.turn;

/** How long the caller of a call is willing to wait for its first turn. Thread-safe. */
public interface Cancellation {

  /** Of callers that never give up. */
  Cancellation NEVER =
      new Cancellation() {
        @Override
        public boolean isRequested() {
          return false;
        }

        @Override
        public boolean begin() {
          return true;
        }
      };

  /** Of operators: never gives up, and no queue is too long. */
  Cancellation OPERATOR =
      new Cancellation() {
        @Override
        public boolean isRequested() {
          return false;
        }

        @Override
        public boolean begin() {
          return true;
        }
      };

  /**
   * {@return whether the caller has given up; the thread that makes that true wakes the waiting
   * one}
   */
  boolean isRequested();

  /**
   * Called when the call was admitted, before its code runs: a call whose caller has given up may
   * come to an idle object without ever having queued.
   *
   * @return whether it may run; false if the caller has given up at the last moment
   */
  boolean begin();
}
