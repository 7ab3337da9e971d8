package dev.holdfast.cluster;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.TimeSource;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Opens the nodes on which the tests of the public API run: on loopback, without TLS. */
public final class SuiteNodes {

  private static final List<String> NAMES = List.of("a", "b", "c");

  private static final Duration READY = Duration.ofMinutes(2);

  /** With more, a busy machine costs no shard its owner, and nodes are ready later. */
  private static final Duration FAILOVER =
      Duration.ofSeconds(Integer.getInteger("holdfast.test.failover", 2));

  /** A cluster that is opened again has the addresses that it had. */
  private static final Map<Path, String[]> MEMBERS = new ConcurrentHashMap<>();

  private SuiteNodes() {}

  /**
   * Opens three nodes below a directory, and waits until they work.
   *
   * @param time of the objects; null for that of the machine
   */
  public static List<ClusterRuntime> open(
      Path directory, @Nullable TimeSource time, Consumer<ObjectRegistrar> objects) {
    String[] members = MEMBERS.computeIfAbsent(directory.toAbsolutePath(), _ -> members());
    List<ClusterRuntime> nodes = new ArrayList<>();
    try {
      for (String name : NAMES) {
        nodes.add(
            ClusterNode.open(
                directory.resolve(name),
                ClusterOptions.of("suites")
                    .node(name)
                    .members(members)
                    .withShards(Integer.getInteger("holdfast.test.shards", 1))
                    .withBalancing(false)
                    .withFailover(FAILOVER),
                objects,
                new SecureRandom(),
                ClusterNode.Settings.DEFAULT,
                time,
                new FileDisk()));
      }
      for (ClusterRuntime node : nodes) {
        if (!node.awaitReady(READY)) {
          throw new AssertionError("A node is not ready: " + node.shards());
        }
      }
    } catch (InterruptedException e) {
      close(nodes);
      throw new AssertionError(e);
    } catch (RuntimeException | Error e) {
      close(nodes);
      throw e;
    }
    return nodes;
  }

  /** Closes nodes at once: each waits for others to take its shards. */
  public static void close(List<ClusterRuntime> nodes) {
    try (ExecutorService threads = Executors.newFixedThreadPool(NAMES.size())) {
      List<CompletableFuture<Void>> closing =
          nodes.stream().map(node -> CompletableFuture.runAsync(node::close, threads)).toList();
      closing.forEach(CompletableFuture::join);
    }
  }

  private static String[] members() {
    try {
      List<Integer> ports = FreePorts.pairs(NAMES.size());
      return NAMES.stream()
          .map(name -> name + "=127.0.0.1:" + ports.get(NAMES.indexOf(name)))
          .toArray(String[]::new);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
