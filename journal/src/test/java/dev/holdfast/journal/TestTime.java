package dev.holdfast.journal;

import dev.holdfast.spi.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until told otherwise. Thread-safe. */
final class TestTime implements TimeSource {

  private final AtomicLong wallMillis = new AtomicLong(1_000_000);
  private final List<Runnable> timers = new ArrayList<>(); // guarded by this

  void setWallMillis(long millis) {
    wallMillis.set(millis);
  }

  /** Runs all timers that are set now. */
  void fireTimers() {
    List<Runnable> due;
    synchronized (this) {
      due = List.copyOf(timers);
      timers.clear();
    }
    due.forEach(Runnable::run);
  }

  @Override
  public long wallMillis() {
    return wallMillis.get();
  }

  @Override
  public long monotonicNanos() {
    return 0;
  }

  @Override
  public synchronized Timer schedule(long delayNanos, Runnable task) {
    timers.add(task);
    return () -> {
      synchronized (this) {
        return timers.remove(task);
      }
    };
  }
}
