package dev.holdfast.benchmarks.cluster;

import dev.holdfast.Consistency;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.benchmarks.objects.EntriesObject;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.nodes.LocalNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The nodes of a cluster in this process, over loopback without TLS. Owned by the thread that opens
 * them.
 */
final class Nodes implements AutoCloseable {

  /** The objects of all sides. */
  static final String NAMESPACE = "entries";

  /** Objects whose owner answers by its lease. */
  static final String LEASED = "leased";

  /** Longer than any benchmark: eviction would be measured in some rounds and not in others. */
  private static final NamespaceOptions NEVER_IDLE =
      NamespaceOptions.DEFAULT.withIdleTimeout(Duration.ofHours(1));

  /** Callers of all sides and three nodes share the processors: nobody is to be taken for dead. */
  private static final Duration FAILOVER = Duration.ofSeconds(3);

  private static final Duration READY = Duration.ofMinutes(1);

  private final List<ClusterRuntime> all = new ArrayList<>();

  private Nodes() {}

  /** Opens nodes, and waits until every shard has an owner. */
  static Nodes open(Path directory, int count, int shards) throws Exception {
    List<String> names =
        IntStream.range(0, count).mapToObj(i -> String.valueOf((char) ('a' + i))).toList();
    List<String> members = new ArrayList<>();
    for (String name : names) {
      members.add(name + "=127.0.0.1:" + LocalNodes.twoFreePorts());
    }
    Nodes nodes = new Nodes();
    try {
      for (String name : names) {
        nodes.all.add(
            ClusterHoldfast.open(
                directory.resolve(name),
                ClusterOptions.of("bench")
                    .node(name)
                    .members(members.toArray(String[]::new))
                    .withShards(shards)
                    .withBalancing(false)
                    .withFailover(FAILOVER),
                Nodes::register));
      }
      for (ClusterRuntime each : nodes.all) {
        if (!each.awaitReady(READY)) {
          throw new IOException("The cluster is not ready: " + each.shards());
        }
      }
      return nodes;
    } catch (Exception e) {
      nodes.close();
      throw e;
    }
  }

  /** Registers the objects, on nodes and on one machine. */
  static void register(ObjectRegistrar objects) {
    objects.namespace(NAMESPACE, Entries.class, EntriesObject::new, NEVER_IDLE);
    objects.namespace(
        LEASED, Entries.class, EntriesObject::new, NEVER_IDLE.withConsistency(Consistency.LEASE));
  }

  /** {@return objects of a runtime} */
  static List<Entries> objects(ObjectRuntime runtime, int count) {
    return objects(NAMESPACE, count, _ -> runtime);
  }

  private static List<Entries> objects(
      String namespace, int count, IntFunction<ObjectRuntime> caller) {
    return IntStream.range(0, count)
        .mapToObj(i -> caller.apply(i).namespace(namespace, Entries.class).getByName("e-" + i))
        .toList();
  }

  /** {@return objects of a cluster of one shard, called on the node that owns them} */
  List<Entries> atOwner(int count) {
    return atOwner(NAMESPACE, count);
  }

  /** {@return objects of a namespace of a cluster of one shard, called on their owner} */
  List<Entries> atOwner(String namespace, int count) {
    return at(namespace, count, /* isOwner= */ true);
  }

  /** {@return objects of a namespace of a cluster of one shard, called on another node} */
  List<Entries> atAnother(String namespace, int count) {
    return at(namespace, count, /* isOwner= */ false);
  }

  private List<Entries> at(String namespace, int count, boolean isOwner) {
    ClusterRuntime node =
        all.stream()
            .filter(each -> each.shards().getFirst().isOpenHere() == isOwner)
            .findFirst()
            .orElseThrow();
    return objects(namespace, count, _ -> node);
  }

  /** {@return objects of which each is called on the next node} */
  List<Entries> onAllNodes(int count) {
    return objects(NAMESPACE, count, i -> all.get(i % all.size()));
  }

  /** All at once: a node that closes waits for another one to take its shards. */
  @Override
  public void close() {
    try (ExecutorService closing = Executors.newVirtualThreadPerTaskExecutor()) {
      all.forEach(each -> closing.execute(each::close));
    }
  }
}
