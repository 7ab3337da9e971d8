package dev.holdfast.benchmarks.keys;

import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Pairs;
import dev.holdfast.benchmarks.objects.PairsObject;
import dev.holdfast.benchmarks.peers.PlainRocksDb;
import java.nio.file.Path;
import java.util.List;

/** A list of pairs, compared with a plain iterator of RocksDB. */
public final class ListTopic implements Topic {

  private static final int FILLED = 100_000;
  private static final int LISTED = 1_000;
  private static final int VALUE_BYTES = 100;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    Path own = directory.resolve("holdfast");
    Path peer = directory.resolve("plain");
    fill(own, peer);
    // Reopened: on both sides all data is in files, and none in write buffers.
    try (DurableHost host = DurableHost.open(own, new MeasuredDisk());
        PlainRocksDb plain = PlainRocksDb.open(peer)) {
      Pairs onRocksDb = host.rocksDbPairs("filled");
      Pairs onSqlite = host.sqlitePairs("filled");
      List<KeyValueSide> sides =
          List.of(
              KeyValueSide.loop("list on RocksDB", LISTED, () -> onRocksDb.list(LISTED)),
              KeyValueSide.loop(
                  "plain iterator of rocksdbjni",
                  LISTED,
                  () -> plain.scan(PairsObject.MIDDLE, LISTED)),
              KeyValueSide.loop("list on SQLite", LISTED, () -> onSqlite.list(LISTED)));
      String title = "1,000 of 100,000 pairs, per pair";
      List<Series> all = rounds.interleave(sides);
      report.add(title, all);
      report.judge(
          title + ": list on RocksDB / plain iterator",
          all.get(0).rateRatio(all.get(1)),
          Goal.AT_LEAST,
          0.6);
    }
  }

  private static void fill(Path own, Path peer) throws Exception {
    try (DurableHost host = DurableHost.open(own, new MeasuredDisk());
        PlainRocksDb plain = PlainRocksDb.open(peer)) {
      host.rocksDbPairs("filled").fill(FILLED);
      host.sqlitePairs("filled").fill(FILLED);
      plain.fill(FILLED, VALUE_BYTES);
    }
  }
}
