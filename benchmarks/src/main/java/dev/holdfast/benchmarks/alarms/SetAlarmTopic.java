package dev.holdfast.benchmarks.alarms;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.keys.KeyValueSide;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.SleeperHost;
import dev.holdfast.benchmarks.objects.SleeperHost.Sleeper;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The cost of setting an alarm in addition to a put in the same turn: in processor time and calls
 * per second with many callers, in the latency of a single caller, and in calls per second on a
 * disk whose syncs take a millisecond more.
 */
public final class SetAlarmTopic implements Topic {

  private static final int OBJECTS = 512;
  private static final int CALLERS = 64;
  private static final Duration NEVER = Duration.ofDays(30);
  private static final Duration SLOW = Duration.ofMillis(1);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk disk = new MeasuredDisk();
    try (DurableHost host = DurableHost.open(directory, disk)) {
      for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
        ObjectNamespace<Sleeper> sleepers = host.sleepers(kind);
        // New objects would cost more than the compared operations.
        SleeperHost.each(CALLERS, OBJECTS, number -> sleepers.getByName("c" + number).put(number));
        compare(new Sides(sleepers, disk, kind), rounds, report);
      }
    }
  }

  private static void compare(Sides sides, Rounds rounds, Report report) throws Exception {
    // A platform thread that finds the journal idle syncs itself, as in an application with one
    // caller.
    Plan lone = new Plan(1, CallerKind.PLATFORM, 1);
    Plan many = new Plan(CALLERS, CallerKind.VIRTUAL, 1);
    // Discarded. If the alarm's code is still being compiled and the put's, which ran first, is
    // not, the compiler would count as the alarm's cost.
    rounds.interleave(sides.of(many));
    String title = "setting an alarm beside a put, " + sides.kind();
    List<Series> all = sides.measure(title, many, rounds, report);
    report.judge(
        title + ": processor time of put and setAlarm / of put",
        all.get(1).cpuRatio(all.get(0)),
        Goal.BELOW,
        1.1);
    judgeRate(title, all, report);
    title = "one caller's alarm beside a put, " + sides.kind();
    all = sides.measure(title, lone, rounds, report);
    report.judge(
        title + ": latency of put and setAlarm / of put",
        all.get(1).latencyRatio(all.get(0)),
        Goal.BELOW,
        1.1);
    sides.disk().delaySyncs(SLOW);
    title = "setting an alarm beside a put, +1 ms per sync, " + sides.kind();
    judgeRate(title, sides.measure(title, many, rounds, report), report);
    // Closing saves every object: with the delay that would take longer than a round.
    sides.disk().delaySyncs(Duration.ZERO);
  }

  private static void judgeRate(String title, List<Series> all, Report report) {
    report.judge(
        title + ": rate of put and setAlarm / rate of put",
        all.get(1).rateRatio(all.get(0)),
        Goal.AT_LEAST,
        0.9);
  }

  private record Sides(ObjectNamespace<Sleeper> sleepers, MeasuredDisk disk, StorageKind kind) {

    List<Series> measure(String title, Plan plan, Rounds rounds, Report report) throws Exception {
      List<Series> all = rounds.interleave(of(plan));
      report.add(title, all);
      return all;
    }

    List<KeyValueSide> of(Plan plan) {
      return List.of(
          side("put", plan, Sleeper::put),
          side(
              "put and setAlarm",
              plan,
              (sleeper, value) -> sleeper.putAndSet(value, Instant.now().plus(NEVER))));
    }

    private KeyValueSide side(String name, Plan plan, Write write) {
      return new KeyValueSide(
          String.format(Locale.ROOT, "%s, %d caller(s)", name, plan.callers()),
          plan,
          1,
          disk::syncCount,
          caller -> calls(caller, plan.callers(), write));
    }

    private Call calls(int caller, int callers, Write write) {
      List<Sleeper> own = new ArrayList<>();
      for (int number = caller; number < OBJECTS; number += callers) {
        own.add(sleepers.getByName("c" + number));
      }
      return new Call() {
        private int next;

        @Override
        public void call() {
          write.call(own.get(next++ % own.size()), System.nanoTime());
        }
      };
    }
  }

  /** The call of each round, with a different value each time: an equal value is not written. */
  private interface Write {
    void call(Sleeper sleeper, long value);
  }
}
