package dev.holdfast.benchmarks.openings;

import dev.holdfast.InstanceResetException;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Past;
import dev.holdfast.benchmarks.objects.SmallUpdates;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The duration of recovery: restoring a large object, copying it, and finding a time. {@code
 * -Dholdfast.recovery.commits=100000} also measures the longest restore, and searches for a time
 * among a million commits.
 */
public final class RecoveryTopic implements Topic {

  private static final int COMMITS_MAX = Integer.getInteger("holdfast.recovery.commits", 1_000);
  private static final int LARGE_ROWS = 1_600;
  private static final int LARGE_ROW_BYTES = 64 << 10;
  private static final int TIMES = 100;

  /** One operation. */
  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk disk = new MeasuredDisk();
    try (DurableHost host = DurableHost.open(directory.resolve("past"), disk)) {
      restores(host, report);
      times(host, report);
    }
  }

  private static void restores(DurableHost host, Report report) throws Exception {
    Past object = host.pasts().getByName("large");
    for (int row = 0; row < LARGE_ROWS; row += 16) {
      object.fill(row, 16, LARGE_ROW_BYTES);
    }
    List<Series> series = new ArrayList<>();
    String filled = object.bookmark();
    for (int commits = 10; commits <= COMMITS_MAX; commits *= 10) {
      if (commits == 100 || commits == 10_000) {
        continue; // the figures are for 10, 1,000 and 100,000
      }
      SmallUpdates.run(object, LARGE_ROWS, commits);
      String target = filled;
      series.add(
          once(
              "restore of 100 MB across " + commits + " commits",
              () -> {
                restore(object, target);
                require(object.rows() == LARGE_ROWS);
              }));
    }
    series.add(
        once(
            "fork of 100 MB",
            () ->
                host.runtime()
                    .recovery("pasts", host.pasts().idFromName("large"))
                    .fork(object.bookmark(), "copy")));
    report.add("one operation each", series);
  }

  private static void times(DurableHost host, Report report) throws Exception {
    Past object = host.pasts().getByName("timed");
    object.fill(0, 16, 100);
    long start = System.currentTimeMillis();
    int commits = 10 * COMMITS_MAX;
    SmallUpdates.run(object, 16, commits);
    long end = System.currentTimeMillis();
    SplittableRandom random = new SplittableRandom(1);
    long[] nanos = new long[TIMES];
    for (int i = 0; i < TIMES; i++) {
      long millis = random.nextLong(start, end);
      long before = System.nanoTime();
      require(!object.bookmarkAt(millis).isEmpty());
      nanos[i] = System.nanoTime() - before;
    }
    long total = Arrays.stream(nanos).sum();
    Arrays.sort(nanos);
    Measured measured =
        new Measured(
            TIMES, total, 0, 0, Measured.percentile(nanos, 0.5), Measured.percentile(nanos, 0.99));
    report.add(
        "bookmark for a time",
        List.of(new Series("among " + commits + " commits", List.of(measured))));
  }

  private static Series once(String name, Work work) throws Exception {
    long before = System.nanoTime();
    long cpuBefore = ClosedLoop.processCpuNanos();
    work.run();
    long nanos = System.nanoTime() - before;
    return new Series(
        name,
        List.of(new Measured(1, nanos, ClosedLoop.processCpuNanos() - cpuBefore, 0, nanos, nanos)));
  }

  private static void restore(Past object, String bookmark) {
    try {
      object.restore(bookmark);
    } catch (InstanceResetException e) {
      return; // as asked for
    }
    throw new IllegalStateException("The object was not reset");
  }

  private static void require(boolean holds) {
    if (!holds) {
      throw new IllegalStateException("A wrong result was measured");
    }
  }
}
