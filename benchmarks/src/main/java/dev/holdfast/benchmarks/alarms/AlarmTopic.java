package dev.holdfast.benchmarks.alarms;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.FiredAlarms;
import dev.holdfast.benchmarks.objects.SleeperHost;
import dev.holdfast.benchmarks.objects.SleeperHost.Sleeper;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** How late handlers begin at 1,000 alarms a second. */
public final class AlarmTopic implements Topic {

  private static final int LATENESS_ALARMS = 10_000;
  private static final int CALLERS = 64;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
      try (SleeperHost host = SleeperHost.open(directory.resolve("" + kind), kind, Duration.ZERO)) {
        lateness(host, kind, report);
      }
    }
  }

  private static void lateness(SleeperHost host, StorageKind kind, Report report) throws Exception {
    ObjectNamespace<Sleeper> sleepers = host.sleepers();
    SleeperHost.each(
        CALLERS, LATENESS_ALARMS, number -> sleepers.getByName("l" + number).put(number));
    // Late enough that all are set by then.
    Instant start = Instant.now().plusSeconds(20);
    SleeperHost.each(
        CALLERS,
        LATENESS_ALARMS,
        number -> sleepers.getByName("l" + number).putAndSet(1, start.plusMillis(number)));
    if (Instant.now().isAfter(start)) {
      throw new IllegalStateException("The machine is too busy: the first alarm is due already");
    }
    host.fired().await(1);
    Measured measured = timed(LATENESS_ALARMS - 1, host.fired());
    report.add(
        "lateness at 1,000 alarms a second, distinct objects",
        List.of(new Series("" + kind, List.of(measured))));
  }

  /** Waits until this number of handlers has begun. */
  private static Measured timed(int count, FiredAlarms fired) throws InterruptedException {
    long cpuBefore = ClosedLoop.processCpuNanos();
    long before = System.nanoTime();
    fired.await(count);
    long elapsed = System.nanoTime() - before;
    long[] late = fired.sortedNanos();
    return new Measured(
        count,
        elapsed,
        ClosedLoop.processCpuNanos() - cpuBefore,
        0,
        Measured.percentile(late, 0.50),
        Measured.percentile(late, 0.99));
  }
}
