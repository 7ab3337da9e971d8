package dev.holdfast.cluster.status;

import dev.holdfast.TimeSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long a node takes to take a shard, and records when it has it and when it gives it
 * up. Thread-safe; no method blocks for long.
 */
public final class OwnershipRecorder {

  private final int shard;
  private final TimeSource time;
  private final NodeCounters counters;

  // Guarded by this.
  private boolean isTaking;
  private long beganNanos;
  private long ownedNanos;

  /**
   * Creates the recorder of a shard.
   *
   * @param shard its number
   * @param time the clock
   * @param counters those of the node
   */
  public OwnershipRecorder(int shard, TimeSource time, NodeCounters counters) {
    this.shard = shard;
    this.time = time;
    this.counters = counters;
  }

  /** The log lets this node take the shard, or it has lost it and may take it again. */
  public synchronized void begins() {
    if (!isTaking) {
      isTaking = true;
      beganNanos = time.monotonicNanos();
    }
  }

  /** The log lets this node take the shard no more. */
  public synchronized void givesUp() {
    isTaking = false;
  }

  /** The log has the ownership: the objects are opened next. */
  public synchronized void owns() {
    ownedNanos = time.monotonicNanos();
    if (!isTaking) {
      beganNanos = ownedNanos;
    }
    isTaking = false;
  }

  /**
   * The objects are open.
   *
   * @param epoch of the ownership
   * @param recoveryNanos how long their files took to have everything that the journal has
   */
  public synchronized void opened(long epoch, long recoveryNanos) {
    long now = time.monotonicNanos();
    counters.began(now - beganNanos);
    OwnershipBeganEvent event = OwnershipBeganEvent.ifOn();
    if (event != null) {
      event.write(
          shard,
          epoch,
          millis(now - beganNanos),
          millis(ownedNanos - beganNanos),
          millis(recoveryNanos));
    }
  }

  /**
   * The objects are about to be closed.
   *
   * @param epoch of the ownership
   * @param failure what has ended it; null if that was planned
   */
  public synchronized void ended(long epoch, @Nullable RuntimeException failure) {
    counters.ended(/* asPlanned= */ failure == null);
    OwnershipEndedEvent event = OwnershipEndedEvent.ifOn();
    if (event != null) {
      event.write(shard, epoch, failure);
    }
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
