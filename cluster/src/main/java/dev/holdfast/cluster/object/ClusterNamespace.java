package dev.holdfast.cluster.object;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.Page;
import dev.holdfast.cluster.call.RemoteCallOrder;
import dev.holdfast.cluster.call.SentOrder;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.value.References;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.PageCursors;
import dev.holdfast.runtime.RegisteredNamespace;
import java.util.Comparator;

/**
 * All objects of one kind, on all nodes. Thread-safe.
 *
 * @param <T> the objects' interface
 */
public final class ClusterNamespace<T> implements ObjectNamespace<T> {

  private final RegisteredNamespace<T> registered;
  private final RemoteInterface methods;
  private final NodeShards shards;
  private final ClusterCalls calls;
  private final SentOrder order;
  private final ClusterOperations operations;

  /**
   * Creates it for a node.
   *
   * @param registered the namespace, as the application has registered it
   * @param references the addresses of this node
   * @param shards the shards of this node
   * @param calls makes the calls
   * @param order keeps the order of the calls that this node sends
   * @param operations of every shard, for lists
   */
  public ClusterNamespace(
      RegisteredNamespace<T> registered,
      References references,
      NodeShards shards,
      ClusterCalls calls,
      RemoteCallOrder order,
      ClusterOperations operations) {
    this.registered = registered;
    this.methods =
        new RemoteInterface(registered.name(), registered.type(), registered.values(), references);
    this.shards = shards;
    this.calls = calls;
    this.order = new SentOrder(order);
    this.operations = operations;
  }

  /** {@return the namespace, as the application has registered it} */
  public RegisteredNamespace<T> registered() {
    return registered;
  }

  /** {@return the interface of the objects} */
  public Class<T> type() {
    return registered.type();
  }

  /** {@return the methods of the objects, as they are called} */
  public RemoteInterface methods() {
    return methods;
  }

  /** {@return what makes the calls} */
  public ClusterCalls calls() {
    return calls;
  }

  /** {@return the order of the calls that this node sends} */
  SentOrder order() {
    return order;
  }

  /** {@return the shard that an object is in} */
  NodeShard shard(ObjectId id) {
    return shards.of(id);
  }

  @Override
  public String name() {
    return registered.name();
  }

  @Override
  public ObjectId idFromName(String name) {
    return registered.idFromName(name);
  }

  @Override
  public ObjectId idFromName(String name, ObjectId near) {
    return registered.idFromName(name, near);
  }

  @Override
  public ObjectId newUniqueId() {
    return registered.newUniqueId();
  }

  @Override
  public ObjectId idFromString(String text) {
    return registered.idFromString(text);
  }

  @Override
  public ObjectStub<T> stub(ObjectId id) {
    registered.check(id);
    return new ClusterStub<>(this, id, null, Headers.NONE);
  }

  @Override
  public Page<ObjectId> list(ObjectListOptions options) {
    return MergedPage.of(
        operations.inAll(shard -> shard.list(name(), options)),
        options.limit(),
        Comparator.comparing(PageCursors::after),
        PageCursors::after);
  }

  @Override
  public NamespaceAlarms alarms() {
    return new ClusterAlarms(this, operations);
  }
}
