package dev.holdfast.cluster.object;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.frame.Value;
import dev.holdfast.cluster.value.References;
import dev.holdfast.cluster.value.UnreadableValueException;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The addresses of objects as this node knows them. Thread-safe. */
public final class NodeReferences implements References {

  private final Function<String, @Nullable ClusterNamespace<?>> namespaces;

  /**
   * Creates it for a node.
   *
   * @param namespaces finds a namespace; null if it is not registered
   */
  public NodeReferences(Function<String, @Nullable ClusterNamespace<?>> namespaces) {
    this.namespaces = namespaces;
  }

  @Override
  public @Nullable Value addressOf(Object value) {
    return switch (value) {
      case ObjectId id -> new Value.Id(id);
      case ClusterStub<?> stub -> new Value.Stub(stub.namespace().name(), stub.id(), false);
      case ClusterNamespace<?> namespace -> new Value.Namespace(namespace.name());
      default ->
          Proxy.isProxyClass(value.getClass())
                  && Proxy.getInvocationHandler(value) instanceof ClusterStub<?> stub
              ? new Value.Stub(stub.namespace().name(), stub.id(), true)
              : null;
    };
  }

  @Override
  public Object resolve(Value address) throws UnreadableValueException {
    return switch (address) {
      case Value.Id id -> id.id();
      case Value.Stub stub -> {
        try {
          ClusterStub<?> resolved = (ClusterStub<?>) namespace(stub.namespace()).stub(stub.id());
          yield stub.blocking() ? resolved.blocking() : resolved;
        } catch (dev.holdfast.errors.InvalidObjectIdException e) {
          throw new UnreadableValueException(String.valueOf(e.getMessage()), e);
        }
      }
      case Value.Namespace namespace -> namespace(namespace.name());
      case Value.Null _, Value.Cloned _ ->
          throw new IllegalArgumentException(address + " is not an address");
    };
  }

  private ClusterNamespace<?> namespace(String name) throws UnreadableValueException {
    ClusterNamespace<?> found = namespaces.apply(name);
    if (found == null) {
      throw new UnreadableValueException(
          "the namespace \"" + name + "\" is not registered on this node", null);
    }
    return found;
  }
}
