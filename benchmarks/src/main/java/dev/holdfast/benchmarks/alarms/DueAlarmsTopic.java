package dev.holdfast.benchmarks.alarms;

import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import java.nio.file.Path;
import java.util.List;

/**
 * The number of handlers that write a row and complete per second when all alarms became due during
 * a downtime, on RocksDB. {@code -Dholdfast.bench.alarms} sets the number of alarms.
 */
public final class DueAlarmsTopic implements Topic {

  private static final int OBJECTS = Integer.getInteger("holdfast.bench.alarms", 100_000);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    List<Series> all =
        rounds.interleave(List.of(new Downtime(directory, StorageKind.ROCKSDB, OBJECTS)));
    report.add("alarms due at once, handlers that write a row", all);
    report.judge(
        "alarms due at once, a second, RocksDB",
        all.get(0).of(Measured::perSecond),
        Goal.AT_LEAST,
        10_000);
  }
}
