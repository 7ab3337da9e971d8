package dev.holdfast.cluster.suites;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.Page;
import java.util.List;

/**
 * A namespace of three nodes, of which the next one makes each call. An {@link ObjectStub} stays on
 * its node: the order of its calls is a promise.
 */
record NamespaceInTurn<T>(NodesInTurn runtime, List<ObjectNamespace<T>> nodes, Class<T> type)
    implements ObjectNamespace<T> {

  private ObjectNamespace<T> next() {
    return nodes.get(runtime.next());
  }

  @Override
  public String name() {
    return next().name();
  }

  @Override
  public ObjectId idFromName(String name) {
    return next().idFromName(name);
  }

  @Override
  public ObjectId idFromName(String name, ObjectId near) {
    return next().idFromName(name, near);
  }

  @Override
  public ObjectId newUniqueId() {
    return next().newUniqueId();
  }

  @Override
  public ObjectId idFromString(String text) {
    return next().idFromString(text);
  }

  @Override
  public ObjectStub<T> stub(ObjectId id) {
    return next().stub(id);
  }

  @Override
  public T get(ObjectId id) {
    return new Rotation<>(type, () -> next().get(id), _ -> null).proxy();
  }

  @Override
  public T getByName(String name) {
    return get(idFromName(name));
  }

  @Override
  public Page<ObjectId> list(ObjectListOptions options) {
    return next().list(options);
  }

  @Override
  public NamespaceAlarms alarms() {
    return new Rotation<>(NamespaceAlarms.class, () -> next().alarms(), _ -> null).proxy();
  }
}
