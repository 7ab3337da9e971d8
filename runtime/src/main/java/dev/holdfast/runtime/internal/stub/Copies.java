package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.clone.StructuredClone;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.errors.UncopyableValueException;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies what crosses the border of an object, so that two objects never share what one of them
 * could change. Immutable values cross as they are; so do ids, stubs and namespaces, by which one
 * object tells another where a third is. Stateless.
 */
final class Copies {

  private static final Set<Class<?>> IMMUTABLE =
      Set.of(
          String.class,
          Boolean.class,
          Character.class,
          Byte.class,
          Short.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class,
          ObjectId.class);

  private Copies() {}

  /** Whether no value of a declared type ever needs a copy. */
  static boolean isImmutable(Class<?> declared) {
    return declared.isPrimitive() || IMMUTABLE.contains(declared);
  }

  /** Returns a copy that shares nothing mutable with the value. */
  static @Nullable Object copy(ObjectId object, String namespace, String place, Object value) {
    if (isReference(value)) {
      return value;
    }
    try {
      return StructuredClone.standard().copy(value);
    } catch (StructuredCloneException e) {
      throw new UncopyableValueException(namespace, object, place + ": " + e.getMessage(), e);
    }
  }

  private static boolean isReference(Object value) {
    return value instanceof ObjectId
        || value instanceof ObjectStub
        || value instanceof ObjectNamespace
        || (Proxy.isProxyClass(value.getClass())
            && Proxy.getInvocationHandler(value) instanceof StubHandler);
  }
}
