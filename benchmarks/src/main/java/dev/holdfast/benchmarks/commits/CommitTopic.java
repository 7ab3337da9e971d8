package dev.holdfast.benchmarks.commits;

import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.MeasuredDisk;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Goal;
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

  /**
   * The sides that the targets compare, by number of objects: callers of Holdfast, threads of the
   * peer.
   */
  private record Target(int callers, int plainThreads, double ratio) {}

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
        for (Target target : targets(objects, slow)) {
          judge(title, target, new Outcome(sides, all), report);
        }
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

  private static List<Target> targets(int objects, boolean slow) {
    if (objects == 1) {
      return slow ? List.of() : List.of(new Target(64, 64, 2), new Target(1, 1, 0.8));
    }
    if (objects == 1_000) {
      double ratio = slow ? 3 : 2;
      return List.of(new Target(64, 64, ratio), new Target(256, 64, ratio));
    }
    return List.of();
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

  private static void judge(String title, Target target, Outcome outcome, Report report) {
    Series ours = outcome.of(false, target.callers());
    Series plain = outcome.of(true, target.plainThreads());
    report.judge(
        title + ": " + ours.name() + " / " + plain.name(),
        ours.rateRatio(plain),
        Goal.AT_LEAST,
        target.ratio());
  }
}
