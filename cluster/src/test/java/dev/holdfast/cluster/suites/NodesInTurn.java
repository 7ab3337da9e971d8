package dev.holdfast.cluster.suites;

import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.cluster.SuiteNodes;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import dev.holdfast.health.Health;
import dev.holdfast.recovery.Backup;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.statistics.BusyBy;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.RuntimeStatistics;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Three nodes as one runtime: each call comes from the next node in turn, so two of three come from
 * one that does not own the object. What is documented as of one node is that of the owner of shard
 * 0, and consumers run on all nodes.
 */
public final class NodesInTurn implements ObjectRuntime {

  private final List<ClusterRuntime> nodes;
  private final AtomicInteger calls = new AtomicInteger();

  private NodesInTurn(List<ClusterRuntime> nodes) {
    this.nodes = nodes;
  }

  /**
   * Opens three nodes below a directory.
   *
   * @param time of the objects; null for that of the machine
   */
  public static ObjectRuntime open(
      Path directory, @Nullable TimeSource time, Consumer<ObjectRegistrar> objects) {
    return new NodesInTurn(SuiteNodes.open(directory, time, objects));
  }

  /** {@return the number of the node whose turn it is} */
  int next() {
    return Math.floorMod(calls.getAndIncrement(), nodes.size());
  }

  private ClusterRuntime nextNode() {
    return nodes.get(next());
  }

  /** The owner of an object, of one shard, is the only node that has its files. */
  ClusterRuntime owner() {
    for (ClusterRuntime node : nodes) {
      if (node.shards().getFirst().isOpenHere()) {
        return node;
      }
    }
    return nodes.getFirst();
  }

  @Override
  public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
    return new NamespaceInTurn<>(
        this, nodes.stream().map(node -> node.namespace(name, type)).toList(), type);
  }

  @Override
  public ObjectRecovery recovery(String namespace, ObjectId id) {
    return new Rotation<>(ObjectRecovery.class, () -> nextNode().recovery(namespace, id), _ -> null)
        .proxy();
  }

  @Override
  public ObjectAdmin admin() {
    ObjectAdmin ofNode = owner().admin();
    return new Rotation<>(
            ObjectAdmin.class,
            () -> nextNode().admin(),
            method -> method.equals("startAlarms") ? ofNode : null)
        .proxy();
  }

  @Override
  public HistoryUsage historyUsage() {
    return owner().historyUsage();
  }

  @Override
  public Backup backup(Path target) {
    return nextNode().backup(target);
  }

  @Override
  public RuntimeStatistics statistics() {
    return owner().statistics();
  }

  @Override
  public Health health() {
    return owner().health();
  }

  @Override
  public List<BusyObject> busiest(int count, BusyBy by) {
    return owner().busiest(count, by);
  }

  @Override
  public <T> Subscription subscribe(String topic, Class<T> type, Consumer<? super T> listener) {
    return nextNode().subscribe(topic, type, listener);
  }

  @Override
  public <T> Subscription subscribe(String topic, TypeRef<T> type, Consumer<? super T> listener) {
    return nextNode().subscribe(topic, type, listener);
  }

  @Override
  public <T> Subscription consume(
      String topic,
      String consumer,
      Class<T> type,
      ConsumerOptions options,
      EventHandler<T> handler) {
    return onAll(node -> node.consume(topic, consumer, type, options, handler));
  }

  @Override
  public <T> Subscription consume(
      String topic,
      String consumer,
      TypeRef<T> type,
      ConsumerOptions options,
      EventHandler<T> handler) {
    return onAll(node -> node.consume(topic, consumer, type, options, handler));
  }

  private Subscription onAll(Function<ObjectRuntime, Subscription> begin) {
    List<Subscription> begun = nodes.stream().map(begin).toList();
    return () -> begun.forEach(Subscription::close);
  }

  @Override
  public void close() {
    SuiteNodes.close(nodes);
  }
}
