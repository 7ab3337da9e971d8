package dev.holdfast.runtime;

import dev.holdfast.ObjectNamespace;

/** Where objects find the namespaces of the objects that they call. Thread-safe. */
public interface NamespaceLookup {

  /**
   * Returns a namespace for the code of objects.
   *
   * @param <T> the interface of its objects
   * @param name the name of the namespace
   * @param type the interface it was registered with
   * @return the namespace
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name, or it has another
   *     type
   */
  <T> ObjectNamespace<T> namespace(String name, Class<T> type);
}
