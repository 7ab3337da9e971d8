package dev.holdfast.benchmarks.commits;

import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.benchmarks.objects.Past;
import dev.holdfast.benchmarks.objects.SmallUpdates;
import dev.holdfast.recovery.HistoryEntry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The cost of keeping the past: durable commits with recovery on and off, the parts of the
 * difference that are due to the undo in each batch and to the retained segments, and the bytes of
 * a small change.
 */
public final class UndoTopic implements Topic {

  private static final double SHARE_WANTED = 0.85;
  private static final int CALLERS = 64;
  private static final int OBJECTS = 100;
  private static final int SMALL_ROWS = 2_000;
  private static final int HISTORY_PAGE = 1_000;
  private static final double SMALL_BYTES_WANTED = 700;
  private static final Duration MONTH = Duration.ofDays(30);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    commits(rounds, directory, report);
    try (DurableHost host = DurableHost.open(directory.resolve("small"), new MeasuredDisk())) {
      bytes(host, report);
    }
  }

  private static void commits(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk disk = new MeasuredDisk();
    try (DurableHost off = open(directory, "off", disk, Duration.ZERO, Duration.ZERO);
        DurableHost on = open(directory, "on", disk, MONTH, MONTH);
        DurableHost undo = open(directory, "undo", disk, MONTH, Duration.ZERO);
        DurableHost kept = open(directory, "kept", disk, Duration.ZERO, MONTH)) {
      List<Series> measured =
          rounds.interleave(
              List.of(
                  side("recovery off", off, disk),
                  side("recovery on", on, disk),
                  side("undo in the batches, segments not kept", undo, disk),
                  side("no undo, segments kept", kept, disk)));
      report.add(OBJECTS + " objects, " + CALLERS + " virtual threads", measured);
      report.judge(
          "durable commits with recovery on, of those with it off",
          share(measured.get(1), measured.get(0)),
          Report.Goal.AT_LEAST,
          SHARE_WANTED);
      report.judge(
          "processor time of a commit with recovery off, of that with it on",
          cpuShare(measured.get(0), measured.get(1)),
          Report.Goal.AT_LEAST,
          SHARE_WANTED);
    }
  }

  private static DurableHost open(
      Path directory, String name, MeasuredDisk disk, Duration undo, Duration kept) {
    return DurableHost.open(directory.resolve(name), disk, new DurableHost.Kept(undo, kept));
  }

  private static Spread share(Series some, Series of) {
    return some.rateRatio(of);
  }

  private static Spread cpuShare(Series some, Series of) {
    return some.cpuRatio(of);
  }

  private static Rounds.Side side(String name, DurableHost host, MeasuredDisk disk) {
    List<Entries> objects =
        IntStream.range(0, OBJECTS).mapToObj(i -> host.entries().getByName("o-" + i)).toList();
    CommitSides.Side side =
        CommitSides.holdfast(objects, CALLERS, ClosedLoop.CallerKind.VIRTUAL, disk);
    return new CommitSides.Side(
        name, side.objects(), side.plan(), side.callers(), side.syncCount());
  }

  /** The bytes that a change of 100 bytes takes in the journal, in a database of 1 MB. */
  private static void bytes(DurableHost host, Report report) throws Exception {
    Past object = host.pasts().getByName("small");
    object.fill(0, SMALL_ROWS, 400);
    SmallUpdates.run(object, SMALL_ROWS, 2 * SMALL_ROWS); // touches every page
    String from = object.bookmark();
    SmallUpdates.run(object, SMALL_ROWS, HISTORY_PAGE);
    List<Double> sizes = new ArrayList<>();
    for (HistoryEntry entry :
        host.runtime()
            .recovery("pasts", host.pasts().idFromName("small"))
            .history(HISTORY_PAGE)
            .entries()) {
      if (entry.bookmark().compareTo(from) > 0) {
        sizes.add((double) entry.bytes());
      }
    }
    report.judge(
        "bytes of payload of a 100-byte update in 1 MB (56 and the namespace for the record's"
            + " head)",
        Spread.of(sizes),
        Report.Goal.BELOW,
        SMALL_BYTES_WANTED);
  }
}
