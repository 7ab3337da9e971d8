package dev.holdfast.runtime.internal.turn;

/** How long the caller of a call is willing to wait for its first turn. Thread-safe. */
public interface Patience {

  /** Of callers that never give up. */
  Patience UNLIMITED =
      new Patience() {
        @Override
        public boolean isExhausted() {
          return false;
        }

        @Override
        public boolean begin() {
          return true;
        }
      };

  /** Of operators: never gives up, and no queue is too long. */
  Patience OPERATOR =
      new Patience() {
        @Override
        public boolean isExhausted() {
          return false;
        }

        @Override
        public boolean begin() {
          return true;
        }
      };

  /** {@return whether the caller has given up; whoever makes that true wakes the waiting thread} */
  boolean isExhausted();

  /**
   * Called when the call was admitted, before its code runs: a call that nobody waits for any more
   * may come to an idle object without ever having queued.
   *
   * @return whether it may run; false if the caller has given up at the last moment
   */
  boolean begin();
}
