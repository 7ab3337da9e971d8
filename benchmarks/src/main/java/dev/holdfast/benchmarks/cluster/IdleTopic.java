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

/** What the nodes of a cluster without calls cost. */
public final class IdleTopic implements Topic {

  private static final Duration REST = Duration.ofSeconds(10);
  private static final Duration WATCHED = Duration.ofSeconds(20);

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    try (NodeProcesses nodes = NodeProcesses.start(directory)) {
      NodeProcesses.pause(REST);
      List<Duration> before = processorTimes(nodes);
      long begun = System.nanoTime();
      NodeProcesses.pause(WATCHED);
      List<Duration> after = processorTimes(nodes);
      long elapsed = System.nanoTime() - begun;
      List<Double> percents = new ArrayList<>();
      for (int i = 0; i < before.size(); i++) {
        percents.add(100.0 * after.get(i).minus(before.get(i)).toNanos() / elapsed);
      }
      report.judge("three nodes, idle, 6 shards: % of a core of a node", percents);
      List<Double> threads = new ArrayList<>();
      for (String name : nodes.names()) {
        threads.add(threads(nodes.handle(name).pid()));
      }
      report.judge("three nodes, idle, 6 shards: threads of a node", threads);
    }
  }

  private static List<Duration> processorTimes(NodeProcesses nodes) {
    return nodes.names().stream()
        .map(name -> nodes.handle(name).info().totalCpuDuration().orElseThrow())
        .toList();
  }

  private static double threads(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
        .filter(line -> line.startsWith("Threads:"))
        .mapToDouble(line -> Double.parseDouble(line.substring("Threads:".length()).strip()))
        .findFirst()
        .orElseThrow();
  }
}
