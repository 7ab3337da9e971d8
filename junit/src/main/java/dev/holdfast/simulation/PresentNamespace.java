package dev.holdfast.simulation;

import dev.holdfast.NamespaceAlarms;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.Page;
import java.util.function.Supplier;

/** A namespace of whichever runtime is open. */
record PresentNamespace<T>(Supplier<ObjectNamespace<T>> present) implements ObjectNamespace<T> {

  @Override
  public String name() {
    return present.get().name();
  }

  @Override
  public ObjectId idFromName(String name) {
    return present.get().idFromName(name);
  }

  @Override
  public ObjectId idFromName(String name, ObjectId near) {
    return present.get().idFromName(name, near);
  }

  @Override
  public ObjectId newUniqueId() {
    return present.get().newUniqueId();
  }

  @Override
  public ObjectId idFromString(String text) {
    return present.get().idFromString(text);
  }

  @Override
  public ObjectStub<T> stub(ObjectId id) {
    return present.get().stub(id);
  }

  @Override
  public Page<ObjectId> list(ObjectListOptions options) {
    return present.get().list(options);
  }

  @Override
  public NamespaceAlarms alarms() {
    return present.get().alarms();
  }
}
