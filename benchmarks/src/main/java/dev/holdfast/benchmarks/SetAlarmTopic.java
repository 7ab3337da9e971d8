package dev.holdfast.benchmarks;

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

/** What setting an alarm costs beside a put of the same turn. */
final class SetAlarmTopic implements Topic {

  private static final int OBJECTS = 512;
  private static final int CALLERS = 64;
  private static final Duration NEVER = Duration.ofDays(30);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    for (StorageKind kind : StorageKind.values()) {
      try (SleeperHost host = SleeperHost.open(directory.resolve("" + kind), kind, Duration.ZERO)) {
        cost(host, kind, rounds, report);
      }
    }
  }

  private static void cost(SleeperHost host, StorageKind kind, Rounds rounds, Report report)
      throws Exception {
    // New objects would cost more than what is compared.
    SleeperHost.each(
        CALLERS, OBJECTS, number -> host.sleepers().getByName("c" + number).put(number));
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
    report.judge(
        title + ": processor time of put and setAlarm / of put",
        all.get(1).cpuRatio(all.get(0)),
        Goal.BELOW,
        1.1);
  }

  /** What is called in each round, at random values, as an equal one would not be written. */
  private interface Write {
    void call(Sleeper sleeper, long value);
  }

  private static Call calls(SleeperHost host, int caller, Write write) {
    List<Sleeper> own = new ArrayList<>();
    for (int number = caller; number < OBJECTS; number += CALLERS) {
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

  /** Callers in a closed loop. */
  private record Loop(String name, IntFunction<Call> callers) implements Rounds.Side {

    @Override
    public Measured measure(Duration duration) throws Exception {
      return ClosedLoop.run(new Plan(CALLERS, CallerKind.VIRTUAL, 1), duration, callers, () -> 0);
    }
  }
}
