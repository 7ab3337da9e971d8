package dev.holdfast.runtime.internal.stub;

import java.lang.reflect.Method;
import java.util.Arrays;

/**
 * The methods of a namespace's interface that were called so far. A short array that is searched
 * from its beginning: for the few methods of an interface that is faster than hashing a {@code
 * Method}, whose hash is computed from two strings each time. Thread-safe.
 */
final class Operations {

  private final String namespace;

  /** Copied on write, under this. */
  private volatile Operation[] known = {};

  Operations(String namespace) {
    this.namespace = namespace;
  }

  Operation of(Method method) {
    for (Operation each : known) {
      if (each.isOf(method)) {
        return each;
      }
    }
    return add(method);
  }

  private synchronized Operation add(Method method) {
    for (Operation each : known) {
      if (each.isOf(method)) {
        return each;
      }
    }
    Operation added = new Operation(namespace, method);
    Operation[] more = Arrays.copyOf(known, known.length + 1);
    more[known.length] = added;
    known = more;
    return added;
  }
}
