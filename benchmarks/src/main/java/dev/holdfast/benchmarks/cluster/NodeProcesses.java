package dev.holdfast.benchmarks.cluster;

import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.nodes.LocalNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Nodes as processes with TLS. Owned by one thread. */
final class NodeProcesses implements AutoCloseable {

  private static final int NODES = 3;

  /** So few that each has something to do. */
  private static final int SHARDS = 6;

  private static final int COPIES = 3;
  private static final long SILENCE_SECONDS_MAX = 900;
  private static final long EVEN_SECONDS_MAX = 900;

  private final LocalNodes nodes;
  private final Set<Integer> ports = new HashSet<>();
  private final Map<String, ChildJvm.Own> own = new HashMap<>();
  private final Map<String, Deque<String>> answers = new HashMap<>();

  private NodeProcesses(Path directory, int count, int shards, List<String> options)
      throws IOException {
    Map<String, String> addresses = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      String name = String.valueOf((char) ('a' + i));
      addresses.put(name, freeAddress());
      own.put(name, new ChildJvm.Own(options, List.of(), null));
    }
    nodes =
        LocalNodes.prepare(
            directory,
            addresses,
            shards,
            MeasuredNode.class,
            List.of(),
            name -> own.getOrDefault(name, ChildJvm.Own.NOTHING));
  }

  /** Starts three nodes with six shards, and waits until every shard has an owner. */
  static NodeProcesses start(Path directory) throws IOException {
    return start(directory, NODES, SHARDS, List.of());
  }

  /** Starts three nodes, and waits until every shard has an owner. */
  static NodeProcesses start(Path directory, int shards) throws IOException {
    return start(directory, NODES, shards, List.of());
  }

  /**
   * Starts the nodes a, b, c and so on, and waits until every shard has an owner.
   *
   * @param options of their JVMs
   */
  static NodeProcesses start(Path directory, int count, int shards, List<String> options)
      throws IOException {
    NodeProcesses processes = new NodeProcesses(directory, count, shards, options);
    try {
      processes.names().forEach(processes.nodes::start);
      for (String name : processes.names()) {
        processes.awaitReady(name);
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
    awaitReady(name);
  }

  private void awaitReady(String name) throws IOException {
    await(name, "opened");
    await(name, "ready");
  }

  /**
   * Starts another node, which waits until it is added.
   *
   * @param name the node
   * @param options of its JVM
   * @return its name and address, with which a member adds it
   */
  String startWaiting(String name, List<String> options) throws IOException {
    own.put(name, new ChildJvm.Own(options, List.of(), null));
    String member = nodes.prepareWaiting(name, freeAddress());
    nodes.start(name);
    await(name, "opened");
    return member;
  }

  /** {@return an address whose two ports no other node of this cluster has} */
  private String freeAddress() throws IOException {
    while (true) {
      int port = LocalNodes.twoFreePorts();
      if (!ports.contains(port) && !ports.contains(port + 1)) {
        ports.addAll(List.of(port, port + 1));
        return "127.0.0.1:" + port;
      }
    }
  }

  /** {@return the answer of a node to a line, without its first word if that is as expected} */
  String ask(String name, String line, String expected) throws IOException {
    nodes.process(name).say(line);
    return await(name, expected);
  }

  /** {@return the next answer of a node} */
  String await(String name, String expected) throws IOException {
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

  /** {@return the counts of each node} */
  Map<String, NodeCounts> counts() throws IOException {
    Map<String, NodeCounts> counts = new TreeMap<>();
    for (String name : names()) {
      counts.put(name, NodeCounts.ofWords(ask(name, "counts", "")));
    }
    return counts;
  }

  /** Waits until each shard has three copies and an owner, and each node as many as the others. */
  void awaitEven(int shards) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(EVEN_SECONDS_MAX);
    List<Integer> kept = new ArrayList<>();
    List<Integer> owned = new ArrayList<>();
    do {
      pause(Duration.ofMillis(100));
      kept.clear();
      owned.clear();
      for (String name : names()) {
        String[] counts = ask(name, "shards", "").split(" ", -1);
        kept.add(Integer.valueOf(counts[0]));
        owned.add(Integer.valueOf(counts[1]));
      }
      if (System.nanoTime() > end) {
        throw new IOException("Not even in time: copies " + kept + ", owners " + owned);
      }
    } while (!isEven(kept, COPIES * shards) || !isEven(owned, shards));
    for (String name : names()) {
      String health = ask(name, "health", "");
      if (!health.contains("UP")) {
        System.out.println("Node " + name + " of an even cluster: " + health);
      }
    }
  }

  static boolean isEven(List<Integer> counts, int all) {
    return counts.stream().mapToInt(each -> each).sum() == all
        && Collections.max(counts) - Collections.min(counts) <= 1;
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
