package dev.holdfast.benchmarks.cluster;

import dev.holdfast.benchmarks.cluster.CallSide.Work;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.benchmarks.peers.BareRatis;
import java.nio.file.Path;
import java.util.List;

/** Commits of three nodes, compared with three servers of Ratis that get each record alone. */
public final class BareRatisTopic implements Topic {

  private static final int VALUE_BYTES = 1 << 10;
  private static final int OBJECTS = 1_000;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    try (BareRatis ratis = BareRatis.open(directory.resolve("ratis"));
        Nodes nodes = Nodes.open(directory.resolve("nodes"), 3, 1)) {
      List<Entries> objects = nodes.atOwner(OBJECTS);
      Comparison all = new Comparison(rounds, report, ratis, objects);
      List<Series> many = all.of("64 callers, 1 KiB", new Work(64, OBJECTS, VALUE_BYTES));
      report.judge(
          "three nodes, 64 callers, 1 KiB: commits / bare Ratis",
          many.getLast().rateRatio(many.getFirst()));
      List<Series> single = all.of("1 caller, 1 KiB", new Work(1, 1, VALUE_BYTES));
      report.judge(
          "three nodes, 1 caller, 1 KiB: p50 / bare Ratis",
          single.getLast().latencyRatio(single.getFirst()));
    }
  }

  private record Comparison(Rounds rounds, Report report, BareRatis ratis, List<Entries> objects) {

    List<Series> of(String what, Work work) throws Exception {
      CallerKind kind = work.callers() == 1 ? CallerKind.PLATFORM : CallerKind.VIRTUAL;
      List<Series> both =
          rounds.interleave(
              List.of(
                  CallSide.puts(
                      "bare Ratis", work, kind, (_, _, _, value) -> ratis.append(value), () -> 0),
                  CallSide.puts("three nodes, one shard", work, objects)));
      report.add("cluster, " + what, both);
      return both;
    }
  }
}
