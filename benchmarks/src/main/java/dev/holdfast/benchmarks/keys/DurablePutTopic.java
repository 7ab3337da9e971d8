package dev.holdfast.benchmarks.keys;

import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Pairs;
import dev.holdfast.benchmarks.peers.PlainRocksDb;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Durable puts, compared with a plain RocksDB that syncs each write itself. */
public final class DurablePutTopic implements Topic {

  private static final int OBJECTS = 1_000;
  private static final int CALLERS = 64;
  private static final int VALUE_BYTES = 100;
  private static final int KEYS_PER_OBJECT = 16;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk disk = new MeasuredDisk();
    try (DurableHost host = DurableHost.open(directory.resolve("holdfast"), disk);
        PlainRocksDb plain = PlainRocksDb.open(directory.resolve("plain"))) {
      List<Pairs> objects =
          IntStream.range(0, OBJECTS).mapToObj(i -> host.rocksDbPairs("p-" + i)).toList();
      List<KeyValueSide> sides =
          List.of(
              new KeyValueSide(
                  "Holdfast on RocksDB, 64 virtual threads",
                  new Plan(CALLERS, CallerKind.VIRTUAL, 1),
                  1,
                  disk::syncCount,
                  caller ->
                      puts(caller, (object, key, value) -> objects.get(object).put(key, value))),
              new KeyValueSide(
                  "plain rocksdbjni, sync, 64 platform threads",
                  new Plan(CALLERS, CallerKind.PLATFORM, 1),
                  1,
                  plain::syncCount,
                  caller -> puts(caller, plain::put)));
      String title = "durable puts, 1,000 objects";
      List<Series> all = rounds.interleave(sides);
      report.add(title, all);
      report.judge(
          title + ": Holdfast / plain", all.get(0).rateRatio(all.get(1)), Goal.AT_LEAST, 1);
    }
  }

  /** Puts a pair into an object. */
  @FunctionalInterface
  private interface Put {
    void put(int object, String key, byte[] value) throws Exception;
  }

  /** Each caller cycles through its own objects. */
  private static Call puts(int caller, Put put) {
    SplittableRandom random = new SplittableRandom();
    return new Call() {
      private int object = caller;

      @Override
      public void call() throws Exception {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        put.put(object, "key" + random.nextInt(KEYS_PER_OBJECT), value);
        object = object + CALLERS < OBJECTS ? object + CALLERS : caller;
      }
    };
  }
}
