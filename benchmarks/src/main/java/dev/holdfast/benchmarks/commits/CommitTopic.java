package dev.holdfast.benchmarks.commits;

import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.DurableHost;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.benchmarks.peers.PlainSqlite;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The rate of durable commits of rows, compared with plain SQLite with one file per object and
 * {@code synchronous=FULL}; on this machine's disk, and on one whose syncs take a millisecond more.
 */
public final class CommitTopic implements Topic {

  private static final List<Integer> OBJECT_COUNTS = List.of(1, 64, 1_000);
  private static final Duration SLOW = Duration.ofMillis(1);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    MeasuredDisk ourDisk = new MeasuredDisk();
    MeasuredDisk plainDisk = new MeasuredDisk();
    try (DurableHost host = DurableHost.open(directory.resolve("holdfast"), ourDisk)) {
      Peers own = new Peers(host, ourDisk, plainDisk);
      compare(own, directory.resolve("full"), "commits", rounds, report);
      ourDisk.delaySyncs(SLOW);
      plainDisk.delaySyncs(SLOW);
      compare(own, directory.resolve("slow"), "commits, +1 ms per sync", rounds, report);
      // Closing saves every object: with the delay that would take longer than a round.
      ourDisk.delaySyncs(Duration.ZERO);
    }
  }

  private record Peers(DurableHost host, MeasuredDisk ourDisk, MeasuredDisk plainDisk) {}

  private static void compare(
      Peers peers, Path directory, String topic, Rounds rounds, Report report) throws Exception {
    boolean slow = topic.contains("+");
    for (int objects : OBJECT_COUNTS) {
      List<PlainSqlite> databases = new ArrayList<>();
      try {
        for (int i = 0; i < objects; i++) {
          Path file = directory.resolve(objects + "/" + i + ".db");
          databases.add(
              slow ? PlainSqlite.syncedThrough(peers.plainDisk(), file) : PlainSqlite.full(file));
        }
        List<CommitSides.Side> sides = sides(peers, databases);
        List<Series> all = rounds.interleave(sides);
        String title = "%s, %,d object%s".formatted(topic, objects, objects == 1 ? "" : "s");
        report.add(title, all);
        judge(objects, slow, new Outcome(sides, all), report);
      } finally {
        for (PlainSqlite each : databases) {
          each.close();
        }
      }
    }
  }

  private static List<CommitSides.Side> sides(Peers peers, List<PlainSqlite> databases) {
    List<Entries> objects =
        IntStream.range(0, databases.size())
            .mapToObj(number -> peers.host().entries().getByName("e-" + number))
            .toList();
    MeasuredDisk disk = peers.ourDisk();
    List<CommitSides.Side> sides = new ArrayList<>();
    // A platform thread that finds the journal idle syncs itself, as in an application with one
    // caller.
    sides.add(CommitSides.holdfast(objects, 1, CallerKind.PLATFORM, disk));
    sides.add(CommitSides.plain(databases, 1, peers.plainDisk()));
    sides.add(CommitSides.holdfast(objects, 64, CallerKind.VIRTUAL, disk));
    sides.add(CommitSides.plain(databases, 64, peers.plainDisk()));
    sides.add(CommitSides.holdfast(objects, 256, CallerKind.VIRTUAL, disk));
    sides.add(CommitSides.plain(databases, 8, peers.plainDisk()));
    return sides;
  }

  private static void judge(int objects, boolean slow, Outcome outcome, Report report) {
    if (objects == 1 && !slow) {
      report.judge(
          "commits, 1 object, 1 caller: rate / plain FULL",
          outcome.of(false, 1).rateRatio(outcome.of(true, 1)));
    }
    if (objects == 1_000) {
      String title = (slow ? "commits, +1 ms per sync, " : "commits, ") + "1,000 objects, ";
      Series plain = outcome.of(true, 64);
      Series ours = outcome.of(false, 64);
      report.judge(title + "64 callers: rate / plain FULL", ours.rateRatio(plain));
      if (slow) {
        report.judge(
            title + "256 callers: rate / plain FULL", outcome.of(false, 256).rateRatio(plain));
      } else {
        report.judge(title + "64 callers: processor time / plain FULL", ours.cpuRatio(plain));
      }
    }
  }

  private record Outcome(List<CommitSides.Side> sides, List<Series> series) {

    Series of(boolean plain, int callers) {
      for (int i = 0; i < sides.size(); i++) {
        CommitSides.Side side = sides.get(i);
        if (side.plan().callers() == callers && side.name().startsWith("plain") == plain) {
          return series.get(i);
        }
      }
      throw new IllegalArgumentException("No side has " + callers + " callers");
    }
  }
}
