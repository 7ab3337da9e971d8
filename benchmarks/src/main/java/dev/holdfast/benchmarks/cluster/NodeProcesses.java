package dev.holdfast.benchmarks.cluster;

import dev.holdfast.nodes.LocalNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Three nodes as processes with TLS. Owned by one thread. */
final class NodeProcesses implements AutoCloseable {

  private static final int NODES = 3;

  /** So few that each has something to do. */
  private static final int SHARDS = 6;

  private static final long SILENCE_SECONDS_MAX = 300;

  private final LocalNodes nodes;
  private final Map<String, Deque<String>> answers = new HashMap<>();

  private NodeProcesses(LocalNodes nodes) {
    this.nodes = nodes;
  }

  /** Starts the nodes with six shards, and waits until every shard has an owner. */
  static NodeProcesses start(Path directory) throws IOException {
    return start(directory, SHARDS);
  }

  /** Starts the nodes, and waits until every shard has an owner. */
  static NodeProcesses start(Path directory, int shards) throws IOException {
    NodeProcesses processes =
        new NodeProcesses(
            LocalNodes.prepare(directory, NODES, shards, MeasuredNode.class, List.of()));
    try {
      processes.names().forEach(processes.nodes::start);
      for (String name : processes.names()) {
        processes.await(name, "ready");
      }
      return processes;
    } catch (IOException | RuntimeException e) {
      processes.close();
      throw e;
    }
  }

  /** {@return the names of all nodes} */
  List<String> names() {
    return nodes.names();
  }

  /** {@return the handle of a node's process} */
  ProcessHandle handle(String name) {
    return ProcessHandle.of(nodes.process(name).pid()).orElseThrow();
  }

  boolean isRunning(String name) {
    return nodes.running().contains(name);
  }

  void kill(String name) {
    nodes.kill(name, (_, _) -> {});
    answers.remove(name);
  }

  /** Starts a node again, and waits until it is ready. */
  void restart(String name) throws IOException {
    nodes.start(name);
    await(name, "ready");
  }

  /** {@return the answer of a node to a line, without its first word if that is as expected} */
  String ask(String name, String line, String expected) throws IOException {
    nodes.process(name).say(line);
    return await(name, expected);
  }

  private String await(String name, String expected) throws IOException {
    String line = next(name);
    if (!line.startsWith(expected)) {
      throw new IOException("Node " + name + " said: " + line);
    }
    return line;
  }

  private String next(String name) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SILENCE_SECONDS_MAX);
    while (System.nanoTime() < end) {
      Deque<String> own = answers.get(name);
      if (own != null && !own.isEmpty()) {
        return own.removeFirst();
      }
      nodes.receive(
          (node, said) -> answers.computeIfAbsent(node, _ -> new ArrayDeque<>()).add(said));
    }
    throw new IOException("Node " + name + " says nothing");
  }

  /** {@return the owner of a shard, as a node knows it; waits until there is one} */
  String owner(String asked, int shard) throws IOException, InterruptedException {
    while (true) {
      String owner = ask(asked, "owners", "").split(" ", -1)[shard];
      if (!owner.equals("?")) {
        return owner;
      }
      pause(Duration.ofMillis(100));
    }
  }

  /** {@return a node that is none of these} */
  String other(List<String> taken) {
    return names().stream().filter(each -> !taken.contains(each)).findFirst().orElseThrow();
  }

  /** Lets the nodes go on. */
  static void pause(Duration duration) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(duration.toNanos());
  }

  @Override
  public void close() {
    nodes.close();
  }
}
