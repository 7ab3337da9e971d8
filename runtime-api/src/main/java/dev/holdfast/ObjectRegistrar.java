package dev.holdfast;

/** Collects the namespaces of a runtime while it is being opened. Not thread-safe. */
public interface ObjectRegistrar {

  /**
   * Registers a namespace with default options: SQLite storage.
   *
   * @param <T> the interface of the objects
   * @param name 1 to 64 characters out of {@code a-z A-Z 0-9 . _ -}, beginning with a letter or a
   *     digit; part of every id of the namespace and of file names, so it can never change. It does
   *     not contain {@code .sqlite}, and differs from others not in upper and lower case alone
   * @param type the interface of its objects; public, or at least accessible to the runtime. Its
   *     methods return values, no stages, futures, streams or iterators
   * @param factory makes the instances
   * @return this
   * @throws NamespaceException if the name is malformed or already registered
   * @throws IllegalArgumentException if {@code type} is not an interface, or has a method whose
   *     result could not leave the object
   */
  default <T> ObjectRegistrar namespace(
      String name, Class<T> type, ObjectFactory<? extends T> factory) {
    return namespace(name, type, factory, NamespaceOptions.DEFAULT);
  }

  /**
   * Registers a namespace.
   *
   * @param <T> the interface of the objects
   * @param name as in {@link #namespace(String, Class, ObjectFactory)}
   * @param type the interface of its objects
   * @param factory makes the instances
   * @param options what differs from the defaults
   * @return this
   * @throws NamespaceException if the name is malformed or already registered
   * @throws IllegalArgumentException if {@code type} is not an interface, or has a method whose
   *     result could not leave the object
   */
  <T> ObjectRegistrar namespace(
      String name, Class<T> type, ObjectFactory<? extends T> factory, NamespaceOptions options);

  /**
   * Sets the options of the whole runtime; the last call counts.
   *
   * @param options what differs from the defaults
   * @return this
   */
  ObjectRegistrar options(RuntimeOptions options);

  /**
   * Sets how the alarms of the runtime are fired; the last call counts.
   *
   * @param options what differs from the defaults
   * @return this
   */
  ObjectRegistrar alarms(AlarmOptions options);
}
