package dev.holdfast.cluster;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.Page;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.value.References;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.RegisteredNamespace;

/**
 * All objects of one kind, on all nodes. Thread-safe.
 *
 * @param <T> the objects' interface
 */
final class ClusterNamespace<T> implements ObjectNamespace<T> {

  private final RegisteredNamespace<T> registered;
  private final RemoteInterface methods;
  private final NodeShards shards;
  private final ClusterCalls calls;
  private final CallOrder order;

  ClusterNamespace(
      RegisteredNamespace<T> registered,
      References references,
      NodeShards shards,
      ClusterCalls calls,
      CallOrder order) {
    this.registered = registered;
    this.methods =
        new RemoteInterface(registered.name(), registered.type(), registered.values(), references);
    this.shards = shards;
    this.calls = calls;
    this.order = order;
  }

  RegisteredNamespace<T> registered() {
    return registered;
  }

  Class<T> type() {
    return registered.type();
  }

  RemoteInterface methods() {
    return methods;
  }

  ClusterCalls calls() {
    return calls;
  }

  CallOrder order() {
    return order;
  }

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
    throw refused("list the objects");
  }

  @Override
  public NamespaceAlarms alarms() {
    throw refused("show the alarms");
  }

  private ClusterException refused(String what) {
    return new ClusterException(
        Reason.UNSUPPORTED,
        "A cluster cannot " + what + " of namespace \"" + name() + "\" yet.",
        null);
  }
}
