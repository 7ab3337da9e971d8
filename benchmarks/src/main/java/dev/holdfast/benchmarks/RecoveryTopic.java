package dev.holdfast.benchmarks;

import dev.holdfast.InstanceResetException;
import dev.holdfast.recovery.HistoryEntry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * What point-in-time recovery costs: commits with and without undo; the bytes of a small change;
 * how long a large object takes to come back, to be copied, and a time to be found. {@code
 * -Dholdfast.recovery.commits=100000} measures the longest way back too, and looks for a time among
 * a million commits.
 */
final class RecoveryTopic implements Topic {

  private static final int COMMITS_MAX = Integer.getInteger("holdfast.recovery.commits", 1_000);
  private static final int LARGE_ROWS = 1_600;
  private static final int LARGE_ROW_BYTES = 64 << 10;
  private static final int SMALL_ROWS = 2_000;
  private static final int CALLERS = 64;
  private static final int TIMES = 100;

  /** One operation. */
  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    undo(rounds, directory, report);
    MeasuredDisk disk = new MeasuredDisk();
    try (DurableHost host = DurableHost.open(directory.resolve("past"), disk)) {
      bytes(host);
      restores(host, report);
      times(host, report);
    }
  }

  private static void undo(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk with = new MeasuredDisk();
    MeasuredDisk without = new MeasuredDisk();
    try (DurableHost on = DurableHost.open(directory.resolve("on"), with);
        DurableHost off = DurableHost.open(directory.resolve("off"), without, Duration.ZERO)) {
      List<Rounds.Side> sides =
          List.of(side("with undo", on, with), side("without undo", off, without));
      List<Series> measured = rounds.interleave(sides);
      report.add("100 objects, 64 virtual threads, recovery on and off", measured);
    }
  }

  private static Rounds.Side side(String name, DurableHost host, MeasuredDisk disk) {
    List<Entries> objects =
        IntStream.range(0, 100).mapToObj(i -> host.entries().getByName("o-" + i)).toList();
    CommitSides.Side side =
        CommitSides.holdfast(objects, CALLERS, ClosedLoop.CallerKind.VIRTUAL, disk);
    return new CommitSides.Side(
        name, side.objects(), side.plan(), side.callers(), side.syncCount());
  }

  /** What a change of 100 bytes takes in the journal, in a database of 1 MB. */
  private static void bytes(DurableHost host) throws Exception {
    Past object = host.pasts().getByName("small");
    object.fill(0, SMALL_ROWS, 400);
    update(object, SMALL_ROWS, 2 * SMALL_ROWS);
    List<HistoryEntry> entries =
        host.runtime().recovery("pasts", host.pasts().idFromName("small")).history(1_000).entries();
    long[] sizes = entries.stream().mapToLong(HistoryEntry::bytes).sorted().toArray();
    System.out.printf(
        "journal payload of a 100-byte update in 1 MB: median %d, 99%% below %d, largest %d bytes;"
            + " a record adds 56 and the namespace%n",
        Measured.percentile(sizes, 0.5), Measured.percentile(sizes, 0.99), sizes[sizes.length - 1]);
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
      update(object, LARGE_ROWS, commits);
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
    update(object, 16, commits);
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

  /** Small commits, many at a time: they share syncs. */
  private static void update(Past object, int rows, int commits) throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> shares = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        int number = caller;
        shares.add(
            callers.submit(
                () -> {
                  SplittableRandom random = new SplittableRandom(number);
                  for (int i = number; i < commits; i += CALLERS) {
                    byte[] value = new byte[100];
                    random.nextBytes(value);
                    object.update(random.nextLong(rows), value);
                  }
                }));
      }
      for (Future<?> share : shares) {
        share.get();
      }
    }
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
