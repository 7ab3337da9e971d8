package dev.holdfast.micrometer;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.health.Health;
import dev.holdfast.statistics.RuntimeStatistics;
import io.micrometer.core.instrument.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots that the meters of one registry read. A registry reads its meters one after the
 * other; those that it reads within a short time get the same snapshot, because to take one costs
 * as much as all of them, and their values should fit together. Thread-safe.
 */
final class RuntimeSnapshots {

  /** Longer than a registry takes to read all meters, and shorter than from scrape to scrape. */
  static final long VALID_MILLIS = 250;

  private static final long VALID_NANOS = TimeUnit.MILLISECONDS.toNanos(VALID_MILLIS);

  /**
   * What a runtime was at one moment.
   *
   * @param statistics its numbers
   * @param health whether it works
   */
  record Snapshot(RuntimeStatistics statistics, Health health) {}

  private record Taken(Snapshot snapshot, long atNanos) {}

  private final ObjectRuntime runtime;
  private final Clock clock;
  private final Consumer<Snapshot> observer;
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by {@link #lock}. */
  private @Nullable Taken last;

  /**
   * @param observer gets each new snapshot, on the thread that has asked for it
   */
  RuntimeSnapshots(ObjectRuntime runtime, Clock clock, Consumer<Snapshot> observer) {
    this.runtime = runtime;
    this.clock = clock;
    this.observer = observer;
  }

  Snapshot get() {
    Snapshot taken;
    lock.lock();
    try {
      long now = clock.monotonicTime();
      if (last != null && now - last.atNanos < VALID_NANOS) {
        return last.snapshot;
      }
      taken = new Snapshot(runtime.statistics(), runtime.health());
      last = new Taken(taken, now);
    } finally {
      lock.unlock();
    }
    // Outside of the lock: the observer may wait for the registry, which may be asking.
    observer.accept(taken);
    return taken;
  }
}
