package dev.holdfast.benchmarks.cluster;

import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What the nodes of a cluster without calls cost, with the default number of shards. */
public final class IdleTopic implements Topic {

  private static final int SHARDS = 64;

  /** Code that runs twice a second is compiled late, which is not what an idle node costs. */
  private static final Duration REST = Duration.ofMinutes(3);

  /** A node is idle for days. After this time little is left to compile. */
  private static final Duration LONG_REST = Duration.ofMinutes(7);

  private static final Duration WATCHED = Duration.ofMinutes(1);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    long begunOpening = System.nanoTime();
    try (NodeProcesses nodes = NodeProcesses.start(directory, SHARDS)) {
      report.observe(
          "three nodes, 64 shards: ms until all are ready after they are made",
          List.of((System.nanoTime() - begunOpening) / 1e6));
      NodeProcesses.pause(REST);
      report.observe(
          "three nodes, idle, 64 shards: % of a core of a node while code is compiled",
          percents(nodes));
      NodeProcesses.pause(LONG_REST);
      report.judge("three nodes, idle, 64 shards: % of a core of a node", percents(nodes));
      List<Double> threads = new ArrayList<>();
      List<Double> mebibytes = new ArrayList<>();
      List<Double> disk = new ArrayList<>();
      for (String name : nodes.names()) {
        long pid = nodes.handle(name).pid();
        threads.add(status(pid, "Threads:"));
        mebibytes.add(status(pid, "VmRSS:") / 1024);
        disk.add(stored(directory.resolve(name)) / (double) (1 << 20));
      }
      report.judge("three nodes, idle, 64 shards: threads of a node", threads);
      report.observe("three nodes, idle, 64 shards: MiB resident of a node", mebibytes);
      report.judge("three nodes, idle, 64 shards: MiB of the directory of a node", disk);
    }
  }

  /** {@return what each node takes of a core for a while} */
  private static List<Double> percents(NodeProcesses nodes) throws InterruptedException {
    List<Duration> before = processorTimes(nodes);
    long begun = System.nanoTime();
    NodeProcesses.pause(WATCHED);
    List<Duration> after = processorTimes(nodes);
    long elapsed = System.nanoTime() - begun;
    List<Double> percents = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      percents.add(100.0 * after.get(i).minus(before.get(i)).toNanos() / elapsed);
    }
    return percents;
  }

  private static List<Duration> processorTimes(NodeProcesses nodes) {
    return nodes.names().stream()
        .map(name -> nodes.handle(name).info().totalCpuDuration().orElseThrow())
        .toList();
  }

  private static double status(long pid, String name) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElseThrow();
  }

  /** {@return the bytes of all files of a directory} */
  static long stored(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }
}
