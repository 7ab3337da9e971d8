package dev.holdfast.benchmarks;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.ClosedLoop.Call;
import dev.holdfast.benchmarks.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.ClosedLoop.Plan;
import dev.holdfast.benchmarks.Report.Goal;
import dev.holdfast.benchmarks.SleeperHost.Sleeper;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** What setting an alarm costs beside a put, and how late handlers begin at 1,000 a second. */
final class AlarmTopic implements Topic {

  private static final int COST_OBJECTS = 512;
  private static final int LATENESS_ALARMS = 10_000;
  private static final int CALLERS = 64;
  private static final Duration NEVER = Duration.ofDays(30);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    for (StorageKind kind : StorageKind.values()) {
      try (SleeperHost host =
          SleeperHost.open(directory.resolve("now-" + kind), kind, Duration.ZERO)) {
        cost(host, kind, rounds, report);
        lateness(host, kind, report);
      }
    }
  }

  private static void cost(SleeperHost host, StorageKind kind, Rounds rounds, Report report)
      throws Exception {
    // New objects would cost more than what is compared.
    SleeperHost.each(
        CALLERS, COST_OBJECTS, number -> host.sleepers().getByName("c" + number).put(number));
    List<Rounds.Side> sides =
        List.of(
            new Loop("put", caller -> calls(host, caller, Sleeper::put)),
            new Loop(
                "put and setAlarm",
                caller ->
                    calls(
                        host,
                        caller,
                        (sleeper, value) -> sleeper.putAndSet(value, Instant.now().plus(NEVER)))));
    String title = "setting an alarm beside a put, " + kind;
    List<Series> all = rounds.interleave(sides);
    report.add(title, all);
    report.judge(
        title + ": rate of put and setAlarm / rate of put",
        all.get(1).rateRatio(all.get(0)),
        Goal.AT_LEAST,
        0.9);
  }

  /** What is called in each round, at random values, as an equal one would not be written. */
  private interface Write {
    void call(Sleeper sleeper, long value);
  }

  private static Call calls(SleeperHost host, int caller, Write write) {
    List<Sleeper> own = new ArrayList<>();
    for (int number = caller; number < COST_OBJECTS; number += CALLERS) {
      own.add(host.sleepers().getByName("c" + number));
    }
    return new Call() {
      private int next;

      @Override
      public void call() {
        write.call(own.get(next++ % own.size()), System.nanoTime());
      }
    };
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

  /** Waits until so many handlers have begun. */
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

  /** Callers in a closed loop. */
  private record Loop(String name, IntFunction<Call> callers) implements Rounds.Side {

    @Override
    public Measured measure(Duration duration) throws Exception {
      return ClosedLoop.run(new Plan(CALLERS, CallerKind.VIRTUAL, 1), duration, callers, () -> 0);
    }
  }
}
