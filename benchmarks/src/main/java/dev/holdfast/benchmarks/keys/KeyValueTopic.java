package dev.holdfast.benchmarks.keys;

import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Pairs;
import java.nio.file.Path;
import java.util.List;

/** What one key-value operation costs inside an object, on both storage engines. */
public final class KeyValueTopic implements Topic {

  private static final int LOOP = 10_000;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    try (DurableHost host = DurableHost.open(directory, new MeasuredDisk())) {
      measure("SQLite", host.sqlitePairs("loop"), rounds, report);
      measure("RocksDB", host.rocksDbPairs("loop"), rounds, report);
    }
  }

  private static void measure(String engine, Pairs pairs, Rounds rounds, Report report)
      throws Exception {
    List<KeyValueSide> sides =
        List.of(
            loop("10,000 puts in one turn", () -> pairs.putMany(LOOP)),
            loop("10,000 gets, all of them different", () -> pairs.getMany(LOOP)),
            loop("10,000 gets of one value", () -> pairs.getHot(LOOP)),
            loop("10,000 gets of an absent key", () -> pairs.getAbsent(LOOP)));
    String title = "in an object on " + engine;
    List<Series> all = rounds.interleave(sides);
    report.add(title, all);
    for (int hot = 2; hot < 4; hot++) {
      Series side = all.get(hot);
      report.judge(
          title + ": " + side.name() + ", nanoseconds each",
          side.of(round -> 1e9 / round.perSecond()),
          Goal.BELOW,
          150);
    }
  }

  private static KeyValueSide loop(String name, Call loop) {
    return KeyValueSide.loop(name, LOOP, loop);
  }
}
