package dev.holdfast.cluster;

import dev.holdfast.NamespaceOptions;

/** Registers the namespaces that a client calls. Not thread-safe. */
public interface ClientRegistrar {

  /**
   * Registers a namespace with default options.
   *
   * @param name its name, as on the nodes
   * @param type the interface of its objects, as on the nodes
   * @return this
   * @throws dev.holdfast.errors.NamespaceException if the name is malformed or already registered,
   *     or the interface is not accessible or has a suspend function of Kotlin
   * @throws IllegalArgumentException if {@code type} is not an interface or is sealed, or one of
   *     its methods returns a type that cannot leave the object, or has an argument or a result of
   *     a type that cannot be copied
   */
  default ClientRegistrar namespace(String name, Class<?> type) {
    return namespace(name, type, NamespaceOptions.DEFAULT);
  }

  /**
   * Registers a namespace.
   *
   * @param name its name, as on the nodes
   * @param type the interface of its objects, as on the nodes
   * @param options those of the nodes; only their codecs matter to a client
   * @return this
   * @throws dev.holdfast.errors.NamespaceException as {@link #namespace(String, Class)}, or if the
   *     options have migrations and a storage without SQL
   * @throws IllegalArgumentException as {@link #namespace(String, Class)}
   */
  ClientRegistrar namespace(String name, Class<?> type, NamespaceOptions options);
}
