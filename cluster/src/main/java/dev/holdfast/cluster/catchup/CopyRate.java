package dev.holdfast.cluster.catchup;

import dev.holdfast.TimeSource;
import java.util.concurrent.CompletableFuture;

/** Bounds how fast a node fetches copies, so that callers keep their share. Thread-safe. */
public final class CopyRate {

  private static final long SECOND_NANOS = 1_000_000_000;

  private final TimeSource time;
  private final long bytesPerSecond;

  /** When what was fetched so far may have been. Guarded by this. */
  private long freeNanos;

  /**
   * Creates it.
   *
   * @param time the clock of the node
   * @param bytesPerSecond how much is fetched in a second, by all shards
   */
  public CopyRate(TimeSource time, long bytesPerSecond) {
    this.time = time;
    this.bytesPerSecond = bytesPerSecond;
    this.freeNanos = time.monotonicNanos();
  }

  /**
   * Waits until more may be fetched.
   *
   * @param bytes how many were fetched just now
   */
  void fetched(long bytes) {
    long waitNanos = reserve(bytes);
    if (waitNanos > 0) {
      CompletableFuture<Void> over = new CompletableFuture<>();
      time.schedule(waitNanos, () -> over.complete(null));
      over.join();
    }
  }

  private synchronized long reserve(long bytes) {
    long now = time.monotonicNanos();
    long from = freeNanos - now < 0 ? now : freeNanos;
    freeNanos = from + (long) ((double) bytes / bytesPerSecond * SECOND_NANOS);
    return freeNanos - now;
  }
}
