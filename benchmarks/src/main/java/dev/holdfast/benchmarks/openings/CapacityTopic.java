package dev.holdfast.benchmarks.openings;

import dev.holdfast.RuntimeOptions;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Pairs;
import dev.holdfast.benchmarks.objects.SleeperHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * What an object costs: disk, heap, resident memory and descriptors. Each object has one pair of 1
 * KiB that does not compress. {@code -Dholdfast.bench.objects} sets how many.
 * docs/operations/capacity.md has the numbers; its bounds are the targets here. {@link
 * OpenMemoryTopic} measures resident memory.
 */
public final class CapacityTopic implements Topic {

  private static final int OBJECTS = Integer.getInteger("holdfast.bench.objects", 20_000);
  private static final int VALUE_BYTES = 1024;
  private static final int CALLERS = 64;

  /**
   * How many are open before descriptors are first counted: descriptors of libraries are open by
   * then.
   */
  private static final int OPEN_AT_FIRST = 250;

  /** The collector may need several rounds until all garbage is gone. */
  private static final int COLLECTIONS = 4;

  private interface Kind extends BiFunction<DurableHost, String, Pairs> {}

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    measure("SQLite", DurableHost::sqlitePairs, directory.resolve("in-sqlite"), "sqlite", report);
    measure(
        "RocksDB", DurableHost::rocksDbPairs, directory.resolve("in-rocksdb"), "rocksdb", report);
    new OpenMemoryTopic().measure(rounds, directory.resolve("open"), report);
  }

  private static void measure(String engine, Kind kind, Path directory, String files, Report report)
      throws Exception {
    int openMax = Math.min(RuntimeOptions.DEFAULT.openDatabasesMax(), OBJECTS);
    try (DurableHost host = DurableHost.open(directory, new MeasuredDisk())) {
      long heap = heap();
      put(host, kind, 0, OPEN_AT_FIRST);
      long descriptors = descriptors();
      put(host, kind, OPEN_AT_FIRST, openMax);
      double opened = openMax - OPEN_AT_FIRST;
      judge(
          report, engine, "descriptors per open object", (descriptors() - descriptors) / opened, 4);
      put(host, kind, openMax, OBJECTS);
      judge(
          report,
          engine,
          "KiB of heap per object in memory",
          (heap() - heap) / 1024.0 / OBJECTS,
          20);
      judge(
          report,
          engine,
          "bytes of journal per commit of 1 KiB",
          (double) bytes(directory.resolve("journal")) / OBJECTS,
          16_384);
    }
    judge(
        report,
        engine,
        "bytes of " + files + "/ per object",
        (double) bytes(directory.resolve(files)) / OBJECTS,
        32_768);
    judge(
        report, engine, "files per object", (double) count(directory.resolve(files)) / OBJECTS, 2);
  }

  private static void put(DurableHost host, Kind kind, int from, int to) throws Exception {
    SleeperHost.each(
        CALLERS,
        to - from,
        number -> {
          byte[] value = new byte[VALUE_BYTES];
          new SplittableRandom(from + number).nextBytes(value);
          kind.apply(host, "o" + (from + number)).put("key", value);
        });
  }

  private static void judge(
      Report report, String engine, String figure, double value, double bound) {
    report.judge(
        "%s, %,d objects: %s".formatted(engine, OBJECTS, figure),
        Spread.of(List.of(value)),
        Goal.BELOW,
        bound);
  }

  private static long heap() {
    Runtime machine = Runtime.getRuntime();
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return machine.totalMemory() - machine.freeMemory();
  }

  private static long descriptors() throws IOException {
    Path open = Path.of("/proc/self/fd");
    if (!Files.exists(open)) {
      return 0;
    }
    try (Stream<Path> all = Files.list(open)) {
      return all.count();
    }
  }

  private static long bytes(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private static long count(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).count();
    }
  }
}
