package dev.holdfast.operator;

import dev.holdfast.operator.OperatorException.Reason;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Bounds how many copies of earlier states there are at once, and so the disk space that they take.
 * Thread-safe.
 */
final class PastImages {

  private static final int AT_ONCE = 4;
  private static final long WAIT_SECONDS = 3;

  private final Semaphore places = new Semaphore(AT_ONCE);

  /**
   * {@return what the reading returns}
   *
   * @param reading makes copies, and closes them
   * @throws OperatorException if too many others read, and do not end soon
   */
  <T> T read(Supplier<T> reading) {
    try {
      if (!places.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
        throw new OperatorException(
            Reason.FAILED, AT_ONCE + " requests read earlier states now; repeat this one.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OperatorException(Reason.FAILED, "The request was given up.", e);
    }
    try {
      return reading.get();
    } finally {
      places.release();
    }
  }
}
