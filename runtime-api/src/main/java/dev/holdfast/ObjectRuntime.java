package dev.holdfast;

/**
 * A running set of namespaces over one data directory.
 *
 * <p>Thread-safe. One process at a time may have a data directory open.
 */
public interface ObjectRuntime extends AutoCloseable {

  /**
   * Returns a namespace that was registered when the runtime was opened.
   *
   * @param <T> the interface of the objects
   * @param name the namespace's name
   * @param type the interface it was registered with
   * @return the namespace
   * @throws NamespaceException if no namespace has this name, or it has another interface
   */
  <T> ObjectNamespace<T> namespace(String name, Class<T> type);

  /**
   * Closes the runtime in order: refuses new calls, lets running and waiting calls finish, makes
   * all of it durable, brings the storage files up to date and gives back the directory.
   *
   * <p>Calls that arrive meanwhile fail with {@link RuntimeClosedException}; calls still running
   * after {@link RuntimeOptions#closeTimeout} are interrupted and fail with {@link
   * InstanceResetException}. Closing twice does nothing.
   */
  @Override
  void close();
}
