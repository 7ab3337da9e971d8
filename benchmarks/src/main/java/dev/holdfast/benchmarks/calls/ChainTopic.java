package dev.holdfast.benchmarks.calls;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Link;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The cost of a durable call through ten objects, each of which writes, compared with a call that
 * ends in the first: the chain should cost one group commit.
 */
public final class ChainTopic implements Topic {

  private static final int LENGTH = 10;

  private record Side(String name, Link first, int length, MeasuredDisk disk)
      implements Rounds.Side {

    @Override
    public Measured measure(Duration duration) throws Exception {
      return ClosedLoop.run(
          new Plan(1, CallerKind.PLATFORM, 1),
          duration,
          _ -> () -> first.add(1, length - 1),
          disk::syncCount);
    }
  }

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk disk = new MeasuredDisk();
    try (DurableHost host = DurableHost.open(directory, disk)) {
      List<Side> sides =
          List.of(
              new Side("1 object writes", host.links().getByName("one-0"), 1, disk),
              new Side("10 objects write", host.links().getByName("ten-0"), LENGTH, disk));
      compare("durable chain", rounds.interleave(sides), report);
      disk.delaySyncs(Duration.ofMillis(1));
      compare("durable chain, +1 ms per sync", rounds.interleave(sides), report);
      disk.delaySyncs(Duration.ZERO);
    }
  }

  private static void compare(String title, List<Series> all, Report report) {
    report.add(title, all);
    report.judge(title + ": latency of 10 / 1", all.get(1).latencyRatio(all.get(0)), Goal.BELOW, 2);
  }
}
