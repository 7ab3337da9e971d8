package dev.holdfast.runtime.internal.stub;

import dev.holdfast.clone.codec.StructuredClone;
import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * The methods of a namespace's interface that were called so far. A linear search of a short array:
 * for the few methods of an interface it is faster than hashing a {@code Method}, whose hash is
 * computed from two strings each time. Thread-safe.
 */
final class StubOperations {

  private final String namespace;
  private final StructuredClone values;
  private final Class<?> type;

  /** Copied on write, guarded by this. */
  private volatile ObjectMethod[] known = {};

  StubOperations(String namespace, StructuredClone values, Class<?> type) {
    this.namespace = namespace;
    this.values = values;
    this.type = type;
  }

  ObjectMethod of(Method method) {
    for (ObjectMethod each : known) {
      if (each.isOf(method)) {
        return each;
      }
    }
    return add(method);
  }

  private synchronized ObjectMethod add(Method method) {
    for (ObjectMethod each : known) {
      if (each.isOf(method)) {
        return each;
      }
    }
    ObjectMethod added = new ObjectMethod(namespace, values, type, method);
    ObjectMethod[] more = Arrays.copyOf(known, known.length + 1);
    more[known.length] = added;
    known = more;
    return added;
  }
}
