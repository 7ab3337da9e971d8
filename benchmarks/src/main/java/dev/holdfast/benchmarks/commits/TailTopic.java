package dev.holdfast.benchmarks.commits;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.ClosedLoop.Plan;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.OpenLoop;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Pairs;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * The 99th percentile of a durable call at half of the capacity, in an open loop, beside one bare
 * sync under the same load: a separate file that one thread appends a page to and syncs. Segments
 * are small, so that the journal asks for checkpoints, and objects are saved, all the time.
 */
public final class TailTopic implements Topic {

  private static final int OBJECTS = 1_000;
  private static final int VALUE_BYTES = 100;
  private static final int CLOSED_CALLERS = 64;

  /** More than can wait at half of the capacity: nobody's next call waits for the last one. */
  private static final int OPEN_CALLERS = 256;

  /** Five held ones are 10 MiB, which half of the capacity fills within a second or two. */
  private static final long SEGMENT_BYTES = 2 << 20;

  /** Until the compiler has done with the calls. */
  private static final Duration COMPILED = Duration.ofSeconds(4);

  /** A round has some checkpoints. */
  private static final Duration ROUND_MIN = Duration.ofSeconds(4);

  /** A machine that is slow takes longer until something is saved. */
  private static final int PARTS_MAX = 5;

  private static final int PAGE_BYTES = 4096;
  private static final long BARE_PAUSE_MILLIS = 5;
  private static final int DIGITS = 3;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk disk = new MeasuredDisk();
    try (DurableHost host = DurableHost.open(directory.resolve("data"), disk, SEGMENT_BYTES);
        FileChannel bare =
            FileChannel.open(
                directory.resolve("bare"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE)) {
      List<Pairs> objects =
          IntStream.range(0, OBJECTS).mapToObj(number -> host.sqlitePairs("t" + number)).toList();
      Plan closed = new Plan(CLOSED_CALLERS, CallerKind.VIRTUAL, 1);
      ClosedLoop.run(closed, COMPILED, _ -> put(objects), disk::syncCount);
      Measured capacity =
          ClosedLoop.run(closed, rounds.duration(), _ -> put(objects), disk::syncCount);
      report.add("tail", List.of(new Series("capacity, 64 callers", List.of(capacity))));
      List<Measured> calls = new ArrayList<>();
      List<Measured> syncs = new ArrayList<>();
      Duration duration =
          rounds.duration().compareTo(ROUND_MIN) < 0 ? ROUND_MIN : rounds.duration();
      try (OpenLoop loop =
          new OpenLoop(OPEN_CALLERS, capacity.perSecond() / 2, _ -> put(objects))) {
        loop.start();
        for (int round = 0; round <= rounds.count(); round++) {
          Histogram bareSyncs = new Histogram(DIGITS);
          loop.takeLatencies();
          long saves = ownSyncs(host, disk);
          long start = System.nanoTime();
          for (int part = 0;
              part == 0 || (part < PARTS_MAX && ownSyncs(host, disk) == saves);
              part++) {
            sync(bare, duration, bareSyncs);
          }
          long elapsed = System.nanoTime() - start;
          Histogram latencies = loop.takeLatencies();
          requireSaves(ownSyncs(host, disk) - saves);
          if (round > 0) { // the first warms up
            calls.add(measured(latencies, elapsed));
            syncs.add(measured(bareSyncs, elapsed));
          }
        }
      }
      report.add(
          "tail, at half of the capacity",
          List.of(new Series("durable call", calls), new Series("bare sync", syncs)));
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < calls.size(); i++) {
        ratios.add((double) calls.get(i).p99Nanos() / syncs.get(i).p99Nanos());
      }
      report.judge(
          "tail, p99 of a durable call at half of the capacity / of a bare sync",
          Spread.of(ratios));
    }
  }

  private static Call put(List<Pairs> objects) {
    SplittableRandom random = new SplittableRandom();
    return () -> {
      byte[] value = new byte[VALUE_BYTES];
      random.nextBytes(value);
      objects.get(random.nextInt(objects.size())).put("key", value);
    };
  }

  /** Appends and syncs, with pauses, so that it is not a load by itself. */
  private static void sync(FileChannel file, Duration duration, Histogram latencies)
      throws Exception {
    long end = System.nanoTime() + duration.toNanos();
    ByteBuffer page = ByteBuffer.allocate(PAGE_BYTES);
    while (System.nanoTime() < end) {
      long before = System.nanoTime();
      file.write(page.clear());
      file.force(false);
      latencies.recordValue(System.nanoTime() - before);
      Thread.sleep(BARE_PAUSE_MILLIS);
    }
  }

  private static long ownSyncs(DurableHost host, MeasuredDisk disk) {
    return disk.syncCount() - host.runtime().statistics().journal().groups();
  }

  /** A round without saves would look good. */
  private static void requireSaves(long syncs) {
    if (syncs <= 0) {
      throw new IllegalStateException("No object was saved during the round");
    }
  }

  private static Measured measured(Histogram latencies, long elapsedNanos) {
    return new Measured(
        latencies.getTotalCount(),
        elapsedNanos,
        0,
        0,
        latencies.getValueAtPercentile(50),
        latencies.getValueAtPercentile(99));
  }
}
