package dev.holdfast.benchmarks.cluster;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.benchmarks.cluster.CallSide.Work;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import java.util.List;

/** Commits of a cluster of one and of three nodes, compared with commits of a local journal. */
public final class CommitsTopic implements Topic {

  private static final int VALUE_BYTES = 100;
  private static final int OBJECTS = 1_000;
  private static final Work ONE_CALLER = new Work(1, 1, VALUE_BYTES);
  private static final Work ONE_OBJECT = new Work(64, 1, VALUE_BYTES);
  private static final Work MANY = new Work(64, OBJECTS, VALUE_BYTES);
  private static final Work MORE = new Work(256, OBJECTS, VALUE_BYTES);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    try (ObjectRuntime local = Holdfast.open(directory.resolve("local"), Nodes::register)) {
      Comparison all = new Comparison(rounds, report, Nodes.objects(local, OBJECTS));
      try (Nodes one = Nodes.open(directory.resolve("one"), 1, 1)) {
        List<Entries> objects = one.atOwner(OBJECTS);
        List<Series> many = all.of("64 callers, 1,000 objects", MANY, "cluster of one", objects);
        report.judge(
            "cluster of one, 64 callers, 1,000 objects: commits / local journal",
            many.getLast().rateRatio(many.getFirst()));
        List<Series> single = all.of("1 caller", ONE_CALLER, "cluster of one", objects);
        report.judge(
            "cluster of one, 1 caller: p50 / local journal",
            single.getLast().latencyRatio(single.getFirst()));
      }
      try (Nodes three = Nodes.open(directory.resolve("three"), 3, 1)) {
        List<Entries> objects = three.atOwner(OBJECTS);
        String side = "three nodes, one shard";
        List<Series> many = all.of("256 callers, 1,000 objects", MORE, side, objects);
        report.judge(
            "three nodes, 256 callers, 1,000 objects: commits / local journal",
            many.getLast().rateRatio(many.getFirst()));
        List<Series> hot = all.of("64 callers, one object", ONE_OBJECT, side, objects);
        report.judge(
            "three nodes, 64 callers, one object: commits / local journal",
            hot.getLast().rateRatio(hot.getFirst()));
        all.of("1 caller", ONE_CALLER, side, objects);
      }
      try (Nodes three = Nodes.open(directory.resolve("six"), 3, 6)) {
        all.of(
            "256 callers, 1,000 objects",
            MORE,
            "three nodes, six shards, all nodes",
            three.onAllNodes(OBJECTS));
      }
    }
  }

  private record Comparison(Rounds rounds, Report report, List<Entries> local) {

    /** {@return the local journal, and what is beside it} */
    List<Series> of(String what, Work work, String side, List<Entries> objects) throws Exception {
      List<Series> both =
          rounds.interleave(
              List.of(
                  CallSide.puts("local journal", work, local), CallSide.puts(side, work, objects)));
      report.add("cluster, " + what, both);
      return both;
    }
  }
}
