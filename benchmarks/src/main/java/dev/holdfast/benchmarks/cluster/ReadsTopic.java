package dev.holdfast.benchmarks.cluster;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.benchmarks.cluster.CallSide.Work;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.benchmarks.peers.PekkoRemotePeer;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import java.util.List;

/**
 * Calls that only read, at the owner: each waits for the proof that it still owns its shard, or is
 * answered by the lease; the same on one machine; and a call by the lease from another node, beside
 * a remote ask of Apache Pekko.
 */
public final class ReadsTopic implements Topic {

  private static final int VALUE_BYTES = 100;
  private static final int OBJECTS = 1_000;

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    try (Nodes nodes = Nodes.open(directory.resolve("nodes"), 3, 1);
        ObjectRuntime alone = Holdfast.open(directory.resolve("alone"), Nodes::register);
        PekkoRemotePeer pekko = PekkoRemotePeer.start()) {
      List<Entries> objects = nodes.atOwner(OBJECTS);
      List<Entries> leased = nodes.atOwner(Nodes.LEASED, 1);
      List<Entries> remote = nodes.atAnother(Nodes.LEASED, 1);
      Work one = new Work(1, 1, VALUE_BYTES);
      List<Series> all =
          rounds.interleave(
              List.of(
                  CallSide.puts("writes, 1 caller", one, objects),
                  CallSide.reads("reads, 1 caller", one, objects),
                  CallSide.reads("reads, 64 callers", new Work(64, OBJECTS, VALUE_BYTES), objects),
                  CallSide.reads("reads by the lease, 1 caller", one, leased),
                  CallSide.reads("one machine, reads, 1 caller", one, Nodes.objects(alone, 1)),
                  CallSide.reads("reads by the lease from another node, 1 caller", one, remote),
                  CallSide.calls("Pekko, remote ask, 1 caller", one, _ -> pekko::ask)));
      report.add("cluster, three nodes, one shard", all);
      report.judge(
          "three nodes, read-only call, 1 caller: p50 / write",
          all.get(1).latencyRatio(all.getFirst()));
      report.judge(
          "three nodes, read-only calls, 64 callers: rate / 1 caller",
          all.get(2).rateRatio(all.get(1)));
      report.judge(
          "three nodes, read-only call by the lease, 1 caller: p50 / one machine",
          all.get(3).latencyRatio(all.get(4)));
      report.judge(
          "three nodes, read by the lease from another node: p50 / Pekko, remote ask",
          all.get(5).latencyRatio(all.getLast()));
    }
  }
}
