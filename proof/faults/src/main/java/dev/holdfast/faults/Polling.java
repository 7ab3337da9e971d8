package dev.holdfast.faults;

import java.util.concurrent.locks.LockSupport;

/**
 * The pause of a test that looks again and again whether something has happened that takes as long
 * as it takes, such as an election. A test that spins takes the processor from what it waits for.
 * Stateless.
 */
public final class Polling {

  private static final long PAUSE_NANOS = 2_000_000;

  private Polling() {}

  /**
   * Waits for two milliseconds; to be called until the effect is there.
   *
   * @throws AssertionError if the thread is interrupted: the time of its test is over, and a pause
   *     would no longer wait
   */
  public static void pause() {
    LockSupport.parkNanos(PAUSE_NANOS);
    if (Thread.currentThread().isInterrupted()) {
      throw new AssertionError("The thread was interrupted before what it waits for has happened.");
    }
  }
}
