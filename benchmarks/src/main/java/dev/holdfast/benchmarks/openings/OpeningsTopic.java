package dev.holdfast.benchmarks.openings;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.FreshJvm;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.SleeperHost;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.statistics.JournalStatistics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * How long a data directory takes to open: after a clean close, and after a kill that left an
 * unsaved tail. All files are in the page cache, and the code is compiled.
 *
 * <p>{@code -Dholdfast.bench.openings.objects} and {@code ...history}, in MB, are the size of the
 * directory (5,000 and 256; the target's are 100000 and 10240), {@code ...tail} is what is written
 * before the kill, in MB (128). {@code ...filled} is a directory that is kept: it is filled if it
 * is not there, and used again otherwise.
 */
public final class OpeningsTopic implements Topic {

  private static final int OBJECTS = Integer.getInteger("holdfast.bench.openings.objects", 5_000);
  private static final int HISTORY_MB = Integer.getInteger("holdfast.bench.openings.history", 256);
  private static final int TAIL_MB = Integer.getInteger("holdfast.bench.openings.tail", 128);

  private static final int CALLERS = 64;
  private static final int HISTORY_OBJECTS = 16;
  private static final int VALUE_BYTES = 60_000;
  private static final double MB = 1e6;

  /** Openings of an empty directory that are not measured. */
  private static final int WARM_UPS = 20;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    Files.createDirectories(directory);
    String kept = System.getProperty("holdfast.bench.openings.filled");
    Path data = kept == null ? directory.resolve("filled") : Path.of(kept);
    if (!Files.exists(data)) {
      fill(data);
    }
    for (int i = 0; i < WARM_UPS; i++) {
      open(directory.resolve("small"));
    }
    afterClose(data, rounds, report);
    afterKill(directory, rounds, report);
  }

  private static void fill(Path data) throws Exception {
    try (DurableHost host = DurableHost.open(data, new MeasuredDisk())) {
      SleeperHost.each(
          CALLERS, OBJECTS, number -> host.sqlitePairs("o" + number).put("key", new byte[100]));
      write(host, HISTORY_MB);
    }
  }

  /** Writes until the journal has grown by so much. */
  private static void write(DurableHost host, int megabytes) throws Exception {
    long before = host.runtime().statistics().journal().bytes();
    SplittableRandom seeds = new SplittableRandom(1);
    while (host.runtime().statistics().journal().bytes() - before < megabytes * MB) {
      SplittableRandom seed = seeds.split();
      SleeperHost.each(
          HISTORY_OBJECTS,
          HISTORY_OBJECTS,
          number -> {
            byte[] value = new byte[VALUE_BYTES];
            new SplittableRandom(seed.split().nextLong() + number).nextBytes(value);
            host.sqlitePairs("h" + number).put("key", value);
          });
    }
  }

  private static Measured open(Path data) throws Exception {
    MeasuredDisk disk = new MeasuredDisk();
    long cpu = ClosedLoop.processCpuNanos();
    long start = System.nanoTime();
    try (DurableHost host = DurableHost.open(data, disk)) {
      long nanos = System.nanoTime() - start;
      long used = ClosedLoop.processCpuNanos() - cpu;
      if (host.sqlitePairs("o1").list(1) < 0) {
        throw new IllegalStateException("A wrong result was measured");
      }
      return new Measured(1, nanos, used, disk.readBytes(), nanos, nanos);
    }
  }

  private static void afterClose(Path data, Rounds rounds, Report report) throws Exception {
    List<Measured> all = new ArrayList<>();
    open(data); // the kernel may have dropped its files from memory
    for (int round = 0; round < rounds.count(); round++) {
      all.add(open(data));
    }
    report.add(
        "openings; bytes read instead of syncs",
        List.of(
            new Series(
                "after a clean close, %,d objects, %,d MB of history"
                    .formatted(OBJECTS, HISTORY_MB),
                all)));
    report.judge(
        "opening after a clean close, ms",
        Spread.of(all.stream().map(each -> each.elapsedNanos() / 1e6).toList()));
  }

  private static void afterKill(Path directory, Rounds rounds, Report report) throws Exception {
    List<Measured> all = new ArrayList<>();
    List<Double> seconds = new ArrayList<>();
    List<Double> read = new ArrayList<>();
    for (int round = 0; round < rounds.count(); round++) {
      Path data = directory.resolve("killed" + round);
      List<String> lines =
          FreshJvm.run(
              Killed.class,
              List.of("-Dholdfast.bench.openings.tail=" + TAIL_MB),
              List.of(data.toString()));
      double tail = Double.parseDouble(lines.getLast());
      Measured measured = open(data);
      all.add(measured);
      seconds.add(measured.elapsedNanos() / 1e9 / (tail / (100 * MB)));
      // The number of syncs stands for the bytes that were read.
      read.add(measured.syncs() / tail);
      System.out.printf("%,.0f MB of unsaved tail, %,d bytes read%n", tail / MB, measured.syncs());
      FileTree.delete(new FileDisk(), data);
    }
    report.add(
        "openings; bytes read instead of syncs",
        List.of(new Series("after a kill, up to %,d MB unsaved".formatted(TAIL_MB), all)));
    report.judge("opening after a kill, seconds per 100 MB of unsaved tail", Spread.of(seconds));
    report.judge("opening after a kill, bytes read / bytes of unsaved tail", Spread.of(read));
  }

  /** The process that ends without closing. It prints the bytes of the records that are unsaved. */
  static final class Killed {

    private Killed() {}

    public static void main(String[] arguments) throws Exception {
      DurableHost host = DurableHost.open(Path.of(arguments[0]), new MeasuredDisk());
      write(host, TAIL_MB);
      JournalStatistics journal = host.runtime().statistics().journal();
      System.out.println((double) journal.bytes() * journal.lowWaterLag() / journal.records());
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }
  }
}
