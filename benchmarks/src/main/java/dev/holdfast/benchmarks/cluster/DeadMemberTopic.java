package dev.holdfast.benchmarks.cluster;

import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Commits on three nodes, and on two after one was killed. */
public final class DeadMemberTopic implements Topic {

  private static final int CALLERS = 64;

  /** Until a node that is ready again lacks nothing. */
  private static final Duration CAUGHT_UP = Duration.ofSeconds(1);

  /** Until its shards have other owners. */
  private static final Duration SETTLED = MeasuredNode.FAILOVER.multipliedBy(2);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    try (NodeProcesses nodes = NodeProcesses.start(directory)) {
      String owner = nodes.owner(nodes.names().getFirst(), 0);
      String member = nodes.other(List.of(owner));
      List<Series> both =
          rounds.interleave(
              List.of(
                  new Side(nodes, owner, member, /* isDead= */ false),
                  new Side(nodes, owner, member, /* isDead= */ true)));
      report.add("cluster, 64 callers at the owner, 100 objects, 1 KiB", both);
      Series all = both.getFirst();
      Series fewer = both.getLast();
      report.judge("three nodes, one dead, 64 callers: commits / none dead", fewer.rateRatio(all));
      report.judge("three nodes, one dead, 64 callers: p99 / none dead", fewer.tailRatio(all));
    }
  }

  private record Side(NodeProcesses nodes, String owner, String member, boolean isDead)
      implements Rounds.Side {

    @Override
    public String name() {
      return isDead ? "one of three dead" : "three nodes";
    }

    @Override
    public void warmUp(Duration round) throws Exception {
      measure(CallSide.warmUpFor(round));
    }

    @Override
    public Measured measure(Duration duration) throws Exception {
      if (isDead && nodes.isRunning(member)) {
        nodes.kill(member);
        NodeProcesses.pause(SETTLED);
      } else if (!isDead && !nodes.isRunning(member)) {
        nodes.restart(member);
        NodeProcesses.pause(CAUGHT_UP);
      }
      nodes.ask(owner, "begin 0 " + CALLERS, "begun");
      NodeProcesses.pause(duration);
      return Load.Seen.ofWords(nodes.ask(owner, "end", "ended").split(" ", -1)).measured();
    }
  }
}
