package dev.holdfast.benchmarks.cluster;

import dev.holdfast.benchmarks.cluster.CallSide.Work;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.Entries;
import java.nio.file.Path;
import java.util.List;

/** Calls that only read, at the owner: each waits for the proof that it still owns its shard. */
public final class ReadsTopic implements Topic {

  private static final int VALUE_BYTES = 100;
  private static final int OBJECTS = 1_000;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    try (Nodes nodes = Nodes.open(directory.resolve("nodes"), 3, 1)) {
      List<Entries> objects = nodes.atOwner(OBJECTS);
      Work one = new Work(1, 1, VALUE_BYTES);
      List<Series> all =
          rounds.interleave(
              List.of(
                  CallSide.puts("writes, 1 caller", one, objects),
                  CallSide.reads("reads, 1 caller", one, objects),
                  CallSide.reads(
                      "reads, 64 callers", new Work(64, OBJECTS, VALUE_BYTES), objects)));
      report.add("cluster, three nodes, one shard", all);
      report.judge(
          "three nodes, read-only call, 1 caller: p50 / write",
          all.get(1).latencyRatio(all.getFirst()));
      report.judge(
          "three nodes, read-only calls, 64 callers: rate / 1 caller",
          all.getLast().rateRatio(all.get(1)));
    }
  }
}
