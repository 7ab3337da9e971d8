package dev.holdfast.cluster;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.faults.Polling;
import dev.holdfast.spi.disk.FileDisk;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Nodes of a cluster with real sockets and real logs, in one process, that no test evens alone. */
final class ManyNodes implements AutoCloseable {

  private static final Duration READY = Duration.ofMinutes(2);

  private final Path directory;
  private final int shards;
  private final Consumer<ObjectRegistrar> objects;
  private final Map<String, String> addresses = new TreeMap<>();
  private final List<String> first;
  private final Map<String, ClusterRuntime> open = new TreeMap<>();

  /** Prepares nodes; the first ones make the cluster, the others can be added. */
  ManyNodes(
      Path directory,
      int shards,
      List<String> first,
      List<String> later,
      Consumer<ObjectRegistrar> objects)
      throws Exception {
    this.directory = directory;
    this.shards = shards;
    this.first = first;
    this.objects = objects;
    List<Integer> ports = FreePorts.pairs(first.size() + later.size());
    for (String name : first) {
      addresses.put(name, "127.0.0.1:" + ports.get(addresses.size()));
    }
    for (String name : later) {
      addresses.put(name, "127.0.0.1:" + ports.get(addresses.size()));
    }
  }

  /** Opens the first nodes, and waits until each shard has an owner. */
  ManyNodes openFirst() throws InterruptedException {
    first.forEach(this::openNode);
    awaitReady();
    return this;
  }

  ClusterRuntime openNode(String name) {
    return openNode(name, UnaryOperator.identity());
  }

  ClusterRuntime openNode(String name, UnaryOperator<ClusterOptions> changed) {
    ClusterRuntime node =
        ClusterNode.open(
            directory.resolve(name),
            changed.apply(options(name)),
            objects,
            new SecureRandom(),
            ClusterNode.Settings.DEFAULT.beginningAfter(0),
            null,
            new FileDisk());
    open.put(name, node);
    return node;
  }

  ClusterOptions options(String name) {
    return ClusterOptions.of("many")
        .node(name, address(name))
        .members(first.stream().map(this::member).toArray(String[]::new))
        .withShards(shards)
        .withBalancing(false)
        .withFailover(Duration.ofSeconds(2));
  }

  private String address(String name) {
    String found = addresses.get(name);
    if (found == null) {
      throw new IllegalArgumentException(name + " is no node");
    }
    return found;
  }

  String member(String name) {
    return name + "=" + address(name);
  }

  Path directoryOf(String name) {
    return directory.resolve(name);
  }

  ClusterRuntime get(String name) {
    ClusterRuntime found = open.get(name);
    if (found == null) {
      throw new IllegalArgumentException(name + " is closed");
    }
    return found;
  }

  Map<String, ClusterRuntime> all() {
    return open;
  }

  /** Evens the cluster as seen by a node; an attempt that failed is repeated. */
  void even(String by) {
    Balancer balancer = ((ClusterNode) get(by)).balancer();
    while (balancer.evenNow(_ -> {}).isPresent()) {
      Polling.pause();
    }
  }

  PlacementLook look(String by) {
    return ((ClusterNode) get(by)).balancer().look();
  }

  void awaitReady() throws InterruptedException {
    for (Map.Entry<String, ClusterRuntime> each : open.entrySet()) {
      if (!each.getValue().awaitReady(READY)) {
        throw new AssertionError(each.getKey() + " is not ready: " + each.getValue().shards());
      }
    }
  }

  void closeNode(String name) {
    get(name).close();
    open.remove(name);
  }

  @Override
  public void close() {
    List<CompletableFuture<Void>> closing =
        open.values().stream().map(node -> CompletableFuture.runAsync(node::close)).toList();
    closing.forEach(CompletableFuture::join);
    open.clear();
  }
}
