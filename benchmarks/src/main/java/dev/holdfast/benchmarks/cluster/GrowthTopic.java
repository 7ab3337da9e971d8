package dev.holdfast.benchmarks.cluster;

import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What a node stores and writes in clusters of 3, 6 and 12 nodes; with three, how long callers wait
 * after a kill, and how long it takes until a node that was added has its part. Each shard has
 * three copies. Each round has new clusters.
 *
 * <p>{@code -Dholdfast.bench.growth.objects} are written to each cluster, and {@code ...mebibytes}
 * of values before nodes are added.
 */
public final class GrowthTopic implements Topic {

  private static final int SHARDS = 64;
  private static final int FEW = 3;
  private static final List<Integer> SIZES = List.of(FEW, 6, 12);
  private static final int OBJECTS = Integer.getInteger("holdfast.bench.growth.objects", 10_000);
  private static final int VALUE_BYTES = 1 << 10;
  private static final int KILLS = 2;
  private static final int MEBIBYTES = Integer.getInteger("holdfast.bench.growth.mebibytes", 512);
  private static final double MIB = 1 << 20;
  private static final double GB = 1e9;

  private static final String NODES = " nodes: ";
  private static final String STORED = "MiB stored by a node";
  private static final String WRITTEN = "MiB written for a node, mean";
  private static final String BOUNDED = "a node added to four, 64 MiB a second: ";
  private static final String A_GB = "seconds until even, for a GB that moves";
  private static final String KILL = "3 nodes: kill of an owner, ms to the next acknowledged write";

  /** Twelve nodes share the processors: none is to be taken for dead while it waits for one. */
  private static final List<String> PATIENT =
      List.of("-D" + MeasuredNode.FAILOVER_MILLIS + "=10000");

  /** Words of a line of /proc/diskstats. */
  private static final int DEVICE_NAME = 2;

  private static final int SECTORS_WRITTEN = 9;
  private static final int SECTOR_BYTES = 512;

  /** Until followers and logs have written what they write later. */
  private static final Duration SETTLED = Duration.ofSeconds(20);

  /** The values of all rounds, by figure. */
  private final Map<String, List<Double>> seen = new LinkedHashMap<>();

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    for (int round = 0; round < rounds.count(); round++) {
      for (int size : SIZES) {
        long begun = System.nanoTime();
        try (NodeProcesses nodes =
            NodeProcesses.start(directory.resolve(round + "-" + size), size, SHARDS, PATIENT)) {
          saw(size + NODES + "seconds until ready", List.of(secondsSince(begun)));
          nodes.awaitEven(SHARDS);
          saw(size + NODES + "seconds until even", List.of(secondsSince(begun)));
          written(nodes, directory, size + NODES);
        }
      }
      try (NodeProcesses nodes = NodeProcesses.start(directory.resolve(round + "-added"), SHARDS)) {
        nodes.awaitEven(SHARDS);
        killed(nodes);
        added(nodes, "a node added to three, hardly any data: ", List.of());
        fill(nodes);
        added(nodes, BOUNDED, List.of());
        added(
            nodes,
            "a node added to five, no bound: ",
            List.of("-D" + MeasuredNode.COPY_BYTES + "=" + Long.MAX_VALUE));
      }
    }
    seen.forEach(report::observe);
    judge(report, rounds.count());
  }

  /** Everybody has the same load, so each number of a node falls as copies are shared by more. */
  private void written(NodeProcesses nodes, Path directory, String cluster)
      throws IOException, InterruptedException {
    Map<String, NodeCounts> before = nodes.counts();
    long writtenBefore = deviceBytes(directory);
    nodes.ask(nodes.names().getFirst(), "write " + OBJECTS + " " + VALUE_BYTES, "written");
    NodeProcesses.pause(SETTLED);
    double written = (deviceBytes(directory) - writtenBefore) / MIB;
    List<NodeCounts> after = new ArrayList<>();
    nodes.counts().forEach((name, now) -> after.add(now.since(before.getOrDefault(name, now))));
    saw(cluster + STORED, after, node -> node.storedBytes() / MIB);
    saw(cluster + WRITTEN, List.of(written / after.size()));
    saw(cluster + "records kept by a node", after, NodeCounts::records);
    saw(cluster + "commits of a node as owner", after, NodeCounts::groups);
  }

  /**
   * {@return what the device of a directory has written since the machine began, with all that the
   * kernel keeps back} The counts of a process are not taken: where a file has large folios, an
   * append of a few bytes counts as one.
   */
  private static long deviceBytes(Path directory) throws IOException, InterruptedException {
    new ProcessBuilder("sync").start().waitFor();
    Path device = Path.of(Files.getFileStore(directory).name()).toRealPath();
    try (Stream<String> lines = Files.lines(Path.of("/proc/diskstats"))) {
      return lines
          .map(line -> line.strip().split(" +"))
          .filter(words -> words[DEVICE_NAME].equals(device.getFileName().toString()))
          .mapToLong(words -> Long.parseLong(words[SECTORS_WRITTEN]) * SECTOR_BYTES)
          .findFirst()
          .orElseThrow(() -> new IOException(device + " is not in /proc/diskstats"));
    }
  }

  private void killed(NodeProcesses nodes) throws IOException, InterruptedException {
    for (int i = 0; i < KILLS; i++) {
      saw(KILL, MovesTopic.kills(nodes, 1));
      nodes.awaitEven(SHARDS);
    }
  }

  private static void fill(NodeProcesses nodes) throws IOException {
    for (int shard = 0; shard < SHARDS; shard++) {
      String node = nodes.names().get(shard % FEW);
      nodes.ask(node, "fill " + shard + " " + MEBIBYTES / SHARDS, "filled");
    }
  }

  private void added(NodeProcesses nodes, String how, List<String> options)
      throws IOException, InterruptedException {
    String first = nodes.names().getFirst();
    String name = String.valueOf((char) (nodes.names().getLast().charAt(0) + 1));
    String member = nodes.startWaiting(name, options);
    long begun = System.nanoTime();
    nodes.ask(first, "add " + member, "added");
    nodes.await(name, "ready");
    nodes.awaitEven(SHARDS);
    double seconds = secondsSince(begun);
    NodeCounts has = NodeCounts.ofWords(nodes.ask(name, "counts", ""));
    saw(how + "seconds until even", List.of(seconds));
    saw(how + "GB that moved", List.of(has.storedBytes() / GB));
    saw(how + "GB that it fetched", List.of(has.fetchedBytes() / GB));
    saw(how + A_GB, List.of(seconds / has.storedBytes() * GB));
  }

  private static double secondsSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e9;
  }

  private void judge(Report report, int rounds) {
    for (int size : SIZES.subList(1, SIZES.size())) {
      String cluster = size + " nodes, 64 shards";
      report.judge(cluster + ", stored bytes of a node / 3 nodes", ratios(size, STORED, rounds));
      report.judge(cluster + ", bytes written for a node / 3 nodes", ratios(size, WRITTEN, rounds));
    }
    report.judge(
        "64 shards, a node added to four, 64 MiB a second: seconds until even, for a GB that moves",
        of(BOUNDED + A_GB));
    report.judge(
        "3 nodes, 64 shards, kill of an owner: ms to the next acknowledged write", of(KILL));
    report.judge(
        "3 nodes, 64 shards, kill of an owner: ms, worst",
        Collections.nCopies(1, Collections.max(of(KILL))));
  }

  /** {@return for each round, the mean of the nodes of a cluster, divided by the one of three} */
  private List<Double> ratios(int size, String what, int rounds) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      ratios.add(mean(size, what, round, rounds) / mean(FEW, what, round, rounds));
    }
    return ratios;
  }

  private double mean(int size, String what, int round, int rounds) {
    List<Double> all = of(size + NODES + what);
    int each = all.size() / rounds;
    return all.subList(round * each, (round + 1) * each).stream()
        .mapToDouble(value -> value)
        .average()
        .orElseThrow();
  }

  private List<Double> of(String figure) {
    return seen.getOrDefault(figure, List.of());
  }

  private void saw(String figure, List<NodeCounts> nodes, ToDoubleFunction<NodeCounts> value) {
    saw(figure, nodes.stream().mapToDouble(value).boxed().toList());
  }

  private void saw(String figure, List<Double> values) {
    System.out.println(figure + ": " + values); // a whole run takes long
    seen.computeIfAbsent(figure, _ -> new ArrayList<>()).addAll(values);
  }
}
