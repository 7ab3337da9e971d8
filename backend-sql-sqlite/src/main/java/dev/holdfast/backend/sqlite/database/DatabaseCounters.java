package dev.holdfast.backend.sqlite.database;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.statistics.HistogramRecorder;
import dev.holdfast.spi.statistics.StorageEvents;
import dev.holdfast.spi.statistics.StorageEvents.Save;
import dev.holdfast.statistics.HistogramSnapshot;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts openings, closings and saves, and measures them. Thread-safe. */
public final class DatabaseCounters {

  private final TimeSource time;
  private final StorageEvents events;
  private final HistogramRecorder openingNanos = new HistogramRecorder();
  private final LongAdder closings = new LongAdder();
  private final HistogramRecorder saveNanos = new HistogramRecorder();
  private volatile long redoneBatches;

  public DatabaseCounters(TimeSource time, StorageEvents events) {
    this.time = time;
    this.events = events;
  }

  /** {@return the clock of the measurements, in nanoseconds} */
  public long nanos() {
    return time.monotonicNanos();
  }

  /** Counts a database that was opened. */
  void opened(long begunNanos) {
    openingNanos.record(nanos() - begunNanos);
  }

  /** Counts a database that was closed. */
  void closed() {
    closings.increment();
  }

  /**
   * A save in progress.
   *
   * @param begunNanos when it began
   * @param event null if nobody records it
   */
  public record Saving(long begunNanos, @Nullable Save event) {}

  /** {@return a save that begins now} */
  public Saving beginSave() {
    return new Saving(nanos(), events.save());
  }

  /**
   * Counts a save that has ended: the file is durable up to a position.
   *
   * @param key the object
   */
  public void saved(Saving saving, ObjectKey key, long position) {
    saveNanos.record(nanos() - saving.begunNanos());
    if (saving.event() != null) {
      saving.event().end(key, position);
    }
  }

  /** Records how many batches recovery has redone. */
  public void redone(long batches) {
    redoneBatches = batches;
  }

  public HistogramSnapshot openingNanos() {
    return openingNanos.snapshot();
  }

  public long closings() {
    return closings.sum();
  }

  public HistogramSnapshot saveNanos() {
    return saveNanos.snapshot();
  }

  public long redoneBatches() {
    return redoneBatches;
  }
}
