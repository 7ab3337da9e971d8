package dev.holdfast.benchmarks.cluster;

import dev.holdfast.HoldfastException;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.objects.Entries;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Callers that write rows, again and again, whatever happens to the cluster: a call that fails is
 * made again. Owned by one thread.
 */
final class Load {

  private static final int VALUE_BYTES = 1 << 10;
  private static final int ROWS_PER_OBJECT = 16;
  private static final int DIGITS = 3;

  private final List<Caller> callers = new ArrayList<>();
  private final long begunNanos = System.nanoTime();
  private volatile boolean running = true;
  private final AtomicReference<@Nullable Mark> mark = new AtomicReference<>();

  private Load() {}

  private record Mark(long nanos, Runnable reached) {}

  /**
   * What a load has seen.
   *
   * @param measured its acknowledged calls
   * @param gapNanos the longest time of a caller between two of them
   * @param failures calls that failed
   */
  record Seen(Measured measured, long gapNanos, long failures) {

    static Seen ofWords(String[] words) {
      return new Seen(
          new Measured(
              Long.parseLong(words[1]),
              Long.parseLong(words[2]),
              Long.parseLong(words[3]),
              0,
              Long.parseLong(words[4]),
              Long.parseLong(words[5])),
          Long.parseLong(words[6]),
          Long.parseLong(words[7]));
    }

    @Override
    public String toString() {
      return "%d %d %d %d %d %d %d"
          .formatted(
              measured.operations(),
              measured.elapsedNanos(),
              measured.cpuNanos(),
              measured.p50Nanos(),
              measured.p99Nanos(),
              gapNanos,
              failures);
    }
  }

  static Load begin(List<Entries> objects, int count) {
    Load load = new Load();
    for (int i = 0; i < count; i++) {
      load.callers.add(load.new Caller(objects, i, count));
    }
    load.callers.forEach(each -> each.thread.start());
    return load;
  }

  /** Calls back once, when a call that begins after this one was acknowledged. */
  void mark(Runnable reached) {
    mark.set(new Mark(System.nanoTime(), reached));
  }

  Seen end() {
    running = false;
    long elapsedNanos = System.nanoTime() - begunNanos;
    Histogram latencies = new Histogram(DIGITS);
    long gap = 0;
    long failures = 0;
    for (Caller each : callers) {
      try {
        each.thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted while ending a load", e);
      }
      latencies.add(each.latencies);
      gap = Math.max(gap, each.gapNanos);
      failures += each.failures;
    }
    return new Seen(
        new Measured(
            latencies.getTotalCount(),
            elapsedNanos,
            0,
            0,
            latencies.getValueAtPercentile(50),
            latencies.getValueAtPercentile(99)),
        gap,
        failures);
  }

  private void reach(long begunNanos) {
    Mark wanted = mark.get();
    if (wanted != null
        && begunNanos - wanted.nanos() > 0
        && mark.compareAndSet(wanted, /* newValue= */ null)) {
      wanted.reached().run();
    }
  }

  /** Its counters are read after its thread has ended. */
  private final class Caller implements Runnable {
    private final List<Entries> objects;
    private final int number;
    private final int count;
    private final SplittableRandom random = new SplittableRandom();
    private final Histogram latencies = new Histogram(DIGITS);
    private final Thread thread = Thread.ofVirtual().unstarted(this);
    private long gapNanos;
    private long failures;

    Caller(List<Entries> objects, int number, int count) {
      this.objects = objects;
      this.number = number;
      this.count = count;
    }

    @Override
    public void run() {
      byte[] value = new byte[VALUE_BYTES];
      int object = number % objects.size();
      long acknowledged = System.nanoTime();
      while (running) {
        random.nextBytes(value);
        long begun = System.nanoTime();
        try {
          objects.get(object).put(random.nextInt(ROWS_PER_OBJECT), value);
        } catch (HoldfastException e) {
          failures++; // its owner was lost
          continue;
        }
        long now = System.nanoTime();
        latencies.recordValue(now - begun);
        gapNanos = Math.max(gapNanos, now - acknowledged);
        acknowledged = now;
        reach(begun);
        object = object + count < objects.size() ? object + count : number % objects.size();
      }
      gapNanos = Math.max(gapNanos, System.nanoTime() - acknowledged); // if its last call failed
    }
  }
}
