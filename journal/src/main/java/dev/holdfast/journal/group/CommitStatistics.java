package dev.holdfast.journal.group;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.statistics.HistogramRecorder;
import dev.holdfast.spi.statistics.StorageEvents;
import dev.holdfast.statistics.HistogramSnapshot;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Measures each flush and each proof, and counts the callers that wait. Two readings of the clock
 * for either, three additions for a flush, one for a proof, two for a caller that waits: nothing
 * for a record. Thread-safe; flushes and proofs are measured by the leader.
 */
public final class CommitStatistics {

  private final TimeSource time;
  private final StorageEvents events;
  private final HistogramRecorder recordsPerGroup = new HistogramRecorder();
  private final HistogramRecorder syncNanos = new HistogramRecorder();
  private final HistogramRecorder proofNanos = new HistogramRecorder();
  private final LongAdder bytes = new LongAdder();

  /** Not an adder, which may need memory: a wait that was a success must not fail at its end. */
  private final AtomicInteger waiters = new AtomicInteger();

  public CommitStatistics(TimeSource time, StorageEvents events) {
    this.time = time;
    this.events = events;
  }

  /** Returns the event of a flush that begins now; null if it is off. */
  public StorageEvents.@Nullable CommitGroup event() {
    return events.commitGroup();
  }

  public long nanos() {
    return time.monotonicNanos();
  }

  /** Counts a group that is durable. */
  public void flushed(Group group, long nanos, StorageEvents.@Nullable CommitGroup event) {
    try {
      syncNanos.record(nanos);
      recordsPerGroup.record(group.recordCount());
      bytes.add(group.groupBytes());
      if (event != null) {
        event.end(group.firstPosition(), group.recordCount(), group.groupBytes());
      }
    } catch (RuntimeException | Error e) {
      // Out of memory: the group is durable, so the journal goes on and one number is too small.
      FaultLog.error("A group of the journal was not counted", group, e);
    }
  }

  /** Measures a proof that an owner of a shard still was the owner: a group without records. */
  public void proven(Group group, long nanos) {
    try {
      proofNanos.record(nanos);
    } catch (RuntimeException | Error e) {
      // Out of memory: the owner is proven, so the journal goes on and one number is too small.
      FaultLog.error("A proof of the journal was not counted", group, e);
    }
  }

  public void waitBegins() {
    waiters.incrementAndGet();
  }

  public void waitEnds() {
    waiters.decrementAndGet();
  }

  public int waiters() {
    return waiters.get();
  }

  public HistogramSnapshot recordsPerGroup() {
    return recordsPerGroup.snapshot();
  }

  public HistogramSnapshot syncNanos() {
    return syncNanos.snapshot();
  }

  public HistogramSnapshot proofNanos() {
    return proofNanos.snapshot();
  }

  public long bytes() {
    return bytes.sum();
  }
}
