package dev.holdfast.runtime.internal.stub;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.Page;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.alarm.AlarmList;
import dev.holdfast.runtime.internal.instance.Instances;
import dev.holdfast.runtime.internal.instance.ShardRules;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Objects;

/**
 * All objects of one kind. Thread-safe.
 *
 * @param <T> the objects' interface
 */
public final class Namespace<T> implements ObjectNamespace<T> {

  private final Class<T> type;
  private final Instances instances;
  private final ObjectIds ids;
  private final StubOperations operations;
  private final AlarmList alarms;

  /**
   * Creates a namespace.
   *
   * @param type the objects' interface
   * @param instances its objects in memory
   * @param ids makes its ids
   */
  public Namespace(Class<T> type, Instances instances, ObjectIds ids) {
    this.type = type;
    this.instances = instances;
    this.ids = ids;
    this.alarms = new AlarmList(instances, ids::check);
    this.operations = new StubOperations(instances.name(), instances.values(), type);
  }

  /** {@return the interface of the objects} */
  public Class<T> type() {
    return type;
  }

  /** {@return the objects in memory} */
  public Instances instances() {
    return instances;
  }

  /** {@return what makes and checks the ids} */
  public ObjectIds ids() {
    return ids;
  }

  StubOperations operations() {
    return operations;
  }

  T newProxy(InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Override
  public String name() {
    return instances.name();
  }

  @Override
  public ObjectId idFromName(String name) {
    return ids.fromName(name);
  }

  @Override
  public ObjectId idFromName(String name, ObjectId near) {
    return ids.fromName(name, Objects.requireNonNull(near, "near"));
  }

  @Override
  public ObjectId newUniqueId() {
    return ids.unique();
  }

  @Override
  public ObjectId idFromString(String text) {
    return ids.fromString(text);
  }

  /**
   * Refuses an id of another namespace.
   *
   * @param id the id
   * @throws dev.holdfast.errors.InvalidObjectIdException if it is not one of this namespace
   */
  public void check(ObjectId id) {
    ids.check(id);
  }

  /**
   * {@return whether an id was made for this namespace}
   *
   * @param id any id
   */
  public boolean has(ObjectId id) {
    return ids.has(id);
  }

  @Override
  public ObjectStub<T> stub(ObjectId id) {
    ids.check(id);
    return new Stub<>(this, id, null, Headers.NONE);
  }

  @Override
  public ObjectStub<T> stub(String name) {
    return new Stub<>(this, ids.fromName(name), null, Headers.NONE);
  }

  @Override
  public ObjectStub<T> stub(String name, ObjectId near) {
    return new Stub<>(this, idFromName(name, near), null, Headers.NONE);
  }

  @Override
  public Page<ObjectId> list(ObjectListOptions options) {
    return ShardRules.inAll(instances.parts(), () -> ObjectListing.page(instances, options));
  }

  @Override
  public NamespaceAlarms alarms() {
    return alarms;
  }
}
