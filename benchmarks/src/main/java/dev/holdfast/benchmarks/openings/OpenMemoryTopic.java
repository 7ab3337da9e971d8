package dev.holdfast.benchmarks.openings;

import dev.holdfast.RuntimeOptions;
import dev.holdfast.benchmarks.harness.FreshJvm;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Pairs;
import dev.holdfast.benchmarks.objects.SleeperHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The growth of resident memory from 1,000 to 5,000 open objects with a value of 100 bytes,
 * divided. The heap is resident from the start, so it is not in the growth; it is what an object
 * takes of it that {@link CapacityTopic} says. Linux only.
 */
public final class OpenMemoryTopic implements Topic {

  private static final int FIRST = 1_000;
  private static final int LAST = 5_000;
  private static final int CALLERS = 64;
  private static final int VALUE_BYTES = 100;
  private static final int COLLECTIONS = 4;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    judge("sqlite", "memory, SQLite, KiB resident of an open object", rounds, directory, report);
    judge(
        "rocksdb",
        "memory, RocksDB, KiB resident of an object in memory",
        rounds,
        directory,
        report);
  }

  private static void judge(
      String engine, String figure, Rounds rounds, Path directory, Report report) throws Exception {
    List<Double> values = new ArrayList<>();
    for (int round = 0; round < rounds.count(); round++) {
      Path data = Files.createDirectories(directory.resolve(engine + round));
      List<String> lines =
          FreshJvm.run(
              Opener.class,
              List.of("-Xms1g", "-XX:+AlwaysPreTouch"),
              List.of(data.toString(), engine));
      values.add(Double.parseDouble(lines.getLast()));
    }
    report.judge(figure, Spread.of(values));
  }

  /** The process that is measured. */
  static final class Opener {

    private Opener() {}

    public static void main(String[] arguments) throws Exception {
      DurableHost host =
          DurableHost.open(
              Path.of(arguments[0]),
              new MeasuredDisk(),
              RuntimeOptions.DEFAULT.withOpenDatabasesMax(2 * LAST));
      boolean sqlite = arguments[1].equals("sqlite");
      put(host, sqlite, 0, FIRST);
      double before = residentKiB();
      put(host, sqlite, FIRST, LAST);
      System.out.printf(Locale.ROOT, "%.2f%n", (residentKiB() - before) / (LAST - FIRST));
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }

    private static void put(DurableHost host, boolean sqlite, int from, int to) throws Exception {
      SleeperHost.each(
          CALLERS,
          to - from,
          number -> {
            String name = "o" + (from + number);
            Pairs object = sqlite ? host.sqlitePairs(name) : host.rocksDbPairs(name);
            object.put("key", new byte[VALUE_BYTES]);
          });
      for (int i = 0; i < COLLECTIONS; i++) {
        System.gc();
      }
    }
  }

  /** {@return the resident memory of this process, as Linux says} */
  static double residentKiB() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")))
          .sum();
    }
  }
}
