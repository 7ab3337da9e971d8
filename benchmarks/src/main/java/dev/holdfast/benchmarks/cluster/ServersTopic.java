package dev.holdfast.benchmarks.cluster;

import dev.holdfast.benchmarks.cluster.CallSide.Work;
import dev.holdfast.benchmarks.compare.CompareCommand;
import dev.holdfast.benchmarks.compare.server.EtcdCluster;
import dev.holdfast.benchmarks.compare.server.PeerFiles;
import dev.holdfast.benchmarks.compare.server.PostgresPair;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Commits of three nodes, compared with etcd and with PostgreSQL and its synchronous standby. */
public final class ServersTopic implements Topic {

  private static final int OBJECTS = 1_000;
  private static final Work WORK = new Work(64, OBJECTS, 1 << 10);
  private static final String ETCD = "etcd";
  private static final String POSTGRES = "PostgreSQL with a standby";

  @FunctionalInterface
  private interface Start<P> {
    P in(PeerFiles files, Path directory, int connections) throws Exception;
  }

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    PeerFiles files = CompareCommand.files();
    try {
      files.fetchDebian();
    } catch (Exception e) {
      report.absent("the peers from Debian: " + e.getMessage());
    }
    try (EtcdCluster etcd = start(ETCD, EtcdCluster::start, files, directory, report);
        PostgresPair postgres = start(POSTGRES, PostgresPair::start, files, directory, report);
        Nodes nodes = Nodes.open(directory.resolve("nodes"), 3, 1)) {
      List<CallSide> sides = new ArrayList<>();
      sides.add(CallSide.puts("three nodes, one shard", WORK, nodes.atOwner(OBJECTS)));
      // Their clients block: virtual threads would gain nothing.
      if (etcd != null) {
        sides.add(
            CallSide.puts(
                ETCD,
                WORK,
                CallerKind.PLATFORM,
                (caller, object, _, value) -> etcd.put(caller, "e-" + object, value),
                etcd::cpuNanos));
      }
      if (postgres != null) {
        sides.add(
            CallSide.puts(
                POSTGRES,
                WORK,
                CallerKind.PLATFORM,
                (caller, _, _, value) -> postgres.insert(caller, value),
                postgres::cpuNanos));
      }
      List<Series> all = rounds.interleave(sides);
      report.add("cluster, 64 callers, 1 KiB", all);
      for (Series peer : all.subList(1, all.size())) {
        report.judge(
            peer.name().equals(ETCD)
                ? "three nodes, 64 callers, 1 KiB: commits / etcd"
                : "three nodes, 64 callers, 1 KiB: commits / PostgreSQL with a standby",
            all.getFirst().rateRatio(peer));
      }
    }
  }

  private static <P> @Nullable P start(
      String name, Start<P> start, PeerFiles files, Path directory, Report report) {
    try {
      return start.in(files, directory.resolve(name.substring(0, 4)), WORK.callers());
    } catch (Exception e) {
      report.absent(name + ": " + e.getMessage());
      return null;
    }
  }
}
