package dev.holdfast.benchmarks;

import dev.holdfast.benchmarks.ClosedLoop.Call;
import dev.holdfast.benchmarks.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.ClosedLoop.Plan;
import dev.holdfast.benchmarks.Report.Goal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * The key-value API: durable puts beside a plain RocksDB that syncs each write itself, and what one
 * operation costs inside an object, on both storage engines.
 */
final class KeyValueTopic implements Topic {

  private static final int OBJECTS = 1_000;
  private static final int CALLERS = 64;
  private static final int VALUE_BYTES = 100;
  private static final int KEYS_PER_OBJECT = 16;
  private static final int LOOP = 10_000;
  private static final int FILLED = 100_000;
  private static final int LISTED = 1_000;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk disk = new MeasuredDisk();
    try (DurableHost host = DurableHost.open(directory.resolve("holdfast"), disk);
        PlainRocksDb plain = PlainRocksDb.open(directory.resolve("plain"))) {
      commits(host, disk, plain, rounds, report);
      operations(host, rounds, report);
      lists(host, plain, rounds, report);
    }
  }

  private static void commits(
      DurableHost host, MeasuredDisk disk, PlainRocksDb plain, Rounds rounds, Report report)
      throws Exception {
    List<Pairs> objects =
        IntStream.range(0, OBJECTS).mapToObj(i -> host.rocksDbPairs("p-" + i)).toList();
    List<Side> sides =
        List.of(
            new Side(
                "Holdfast on RocksDB, 64 virtual threads",
                new Plan(CALLERS, CallerKind.VIRTUAL, 1),
                1,
                disk::syncCount,
                caller ->
                    puts(caller, (object, key, value) -> objects.get(object).put(key, value))),
            new Side(
                "plain rocksdbjni, sync, 64 platform threads",
                new Plan(CALLERS, CallerKind.PLATFORM, 1),
                1,
                plain::syncCount,
                caller -> puts(caller, plain::put)));
    String title = "durable puts, 1,000 objects";
    List<Series> all = rounds.interleave(sides);
    report.add(title, all);
    report.judge(title + ": Holdfast / plain", all.get(0).rateRatio(all.get(1)), Goal.AT_LEAST, 1);
  }

  private static void operations(DurableHost host, Rounds rounds, Report report) throws Exception {
    for (String engine : List.of("SQLite", "RocksDB")) {
      Pairs pairs = engine.equals("SQLite") ? host.sqlitePairs("loop") : host.rocksDbPairs("loop");
      List<Side> sides =
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
  }

  private static void lists(DurableHost host, PlainRocksDb plain, Rounds rounds, Report report)
      throws Exception {
    Pairs onRocksDb = host.rocksDbPairs("filled");
    Pairs onSqlite = host.sqlitePairs("filled");
    onRocksDb.fill(FILLED);
    onSqlite.fill(FILLED);
    plain.fill(FILLED, VALUE_BYTES);
    List<Side> sides =
        List.of(
            loop("list on RocksDB", LISTED, () -> onRocksDb.list(LISTED)),
            loop(
                "plain iterator of rocksdbjni",
                LISTED,
                () -> plain.scan(PairsObject.MIDDLE, LISTED)),
            loop("list on SQLite", LISTED, () -> onSqlite.list(LISTED)));
    String title = "1,000 of 100,000 pairs, per pair";
    List<Series> all = rounds.interleave(sides);
    report.add(title, all);
    report.judge(
        title + ": list on RocksDB / plain iterator",
        all.get(0).rateRatio(all.get(1)),
        Goal.AT_LEAST,
        0.6);
  }

  /** Does many operations. */
  @FunctionalInterface
  private interface Loop {
    long run() throws Exception;
  }

  /** Puts a pair into an object. */
  @FunctionalInterface
  private interface Put {
    void put(int object, String key, byte[] value) throws Exception;
  }

  /** Makes the call of a caller. */
  @FunctionalInterface
  private interface Calls {
    Call of(int caller);
  }

  private static Side loop(String name, Loop loop) {
    return loop(name, LOOP, loop);
  }

  private static Side loop(String name, int operations, Loop loop) {
    return new Side(name, new Plan(1, CallerKind.PLATFORM, 1), operations, () -> 0, _ -> loop::run);
  }

  /** Each caller goes round objects of its own. */
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

  /** One side; a call of it does so many operations. */
  private record Side(String name, Plan plan, int operations, LongSupplier syncs, Calls calls)
      implements Rounds.Side {

    @Override
    public Measured measure(Duration duration) throws Exception {
      Measured measured = ClosedLoop.run(plan, duration, calls::of, syncs);
      return new Measured(
          measured.operations() * operations,
          measured.elapsedNanos(),
          measured.cpuNanos(),
          measured.syncs(),
          measured.p50Nanos() / operations,
          measured.p99Nanos() / operations);
    }
  }
}
