package dev.holdfast.benchmarks.alarms;

import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.peers.BareFiles;
import java.nio.file.Path;
import java.util.List;

/**
 * The number of handlers that write a row and complete per second when all alarms became due during
 * a downtime, on SQLite: a file for each object, which is opened, written and closed. The peer is
 * plain sqlite-jdbc that does the same, which shows the limit of the machine. {@code
 * -Dholdfast.bench.alarms.sqlite} sets the number of alarms.
 */
public final class DueAlarmsInSqliteTopic implements Topic {

  private static final int OBJECTS = Integer.getInteger("holdfast.bench.alarms.sqlite", 10_000);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    List<Series> all =
        rounds.interleave(
            List.of(
                new Downtime(directory.resolve("ours"), StorageKind.SQLITE, OBJECTS),
                new BareFiles(directory.resolve("bare"), OBJECTS)));
    report.add("alarms due at once, handlers that write a row", all);
    report.judge(
        "alarms due at once, rate on SQLite / rate of bare files",
        all.get(0).rateRatio(all.get(1)));
  }
}
