package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectStub;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.UncopyableValueException;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies values that enter or leave an object, so that two objects never share mutable state.
 * Immutable values are passed as they are. So are ids, stubs and namespaces, with which one object
 * passes the address of a third to another. Stateless.
 */
public final class Copies {

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

  /** Returns whether no value of a declared type needs a copy. */
  static boolean isImmutable(Class<?> declared) {
    return declared.isPrimitive() || IMMUTABLE.contains(declared);
  }

  /** Returns a copy that shares nothing mutable with the value. */
  static @Nullable Object copy(
      StructuredClone values, ObjectId object, String namespace, String place, Object value) {
    if (isReference(value)) {
      return value;
    }
    try {
      return values.copy(value);
    } catch (StructuredCloneException e) {
      throw new UncopyableValueException(namespace, object, place + ": " + e.getMessage(), e);
    }
  }

  /**
   * {@return whether values of a declared type are passed as they are, because they name objects}
   *
   * @param declared the type of a parameter or a result
   */
  public static boolean isReference(Class<?> declared) {
    return declared == ObjectId.class
        || ObjectStub.class.isAssignableFrom(declared)
        || ObjectNamespace.class.isAssignableFrom(declared);
  }

  private static boolean isReference(Object value) {
    return value instanceof ObjectId
        || value instanceof ObjectStub
        || value instanceof ObjectNamespace
        || (Proxy.isProxyClass(value.getClass())
            && Proxy.getInvocationHandler(value) instanceof StubHandler);
  }
}
