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
  private boolean leads;

  /** If it leads, since when it could take the shard. */
  private long sinceNanos;

  /**
   * An ownership that the log has, and whose objects are opened next.
   *
   * @param beganNanos when the log let this node take the shard
   * @param ownedNanos when the log had the ownership
   */
  public record Taken(long beganNanos, long ownedNanos) {}

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

  /**
   * Takes what the log says.
   *
   * @param yes whether it lets this node take the shard from now on
   */
  public synchronized void mayLead(boolean yes) {
    leads = yes;
    sinceNanos = time.monotonicNanos();
  }

  /** This node had the shard and has it no more; it takes it again if the log lets it. */
  public synchronized void lostOrGivenBack() {
    sinceNanos = time.monotonicNanos();
  }

  /** {@return the ownership that the log has from now on} */
  public synchronized Taken owns() {
    long now = time.monotonicNanos();
    return new Taken(leads ? sinceNanos : now, now);
  }

  /**
   * The objects are open, and calls do not wait for them any more.
   *
   * @param taken the ownership
   * @param epoch its number
   * @param openNanos when they were open
   * @param openingNanos how long that took, after the objects of the last ownership were closed
   */
  public void opened(Taken taken, long epoch, long openNanos, long openingNanos) {
    long takeoverNanos = openNanos - taken.beganNanos();
    OwnershipBeganEvent event = OwnershipBeganEvent.ifOn();
    if (event != null) {
      event.write(
          shard,
          epoch,
          millis(takeoverNanos),
          millis(taken.ownedNanos() - taken.beganNanos()),
          millis(openingNanos));
    }
    counters.began(takeoverNanos);
  }

  /**
   * The objects are about to be closed.
   *
   * @param epoch of the ownership
   * @param failure what has ended it; null if that was planned
   */
  public void ended(long epoch, @Nullable RuntimeException failure) {
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
