package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectNamespace;

/** The namespaces of a runtime, for objects that call others. Thread-safe. */
@FunctionalInterface
public interface Namespaces {

  /**
   * Returns a registered namespace.
   *
   * @param <T> the interface of its objects
   * @param name its name
   * @param type the interface it was registered with
   * @return the namespace
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name, or it has another
   *     type
   */
  <T> ObjectNamespace<T> namespace(String name, Class<T> type);
}
