package dev.holdfast;

/**
 * All objects of one kind: an interface, the factory of its instances and the objects' storage.
 *
 * <p>Objects need not be created. Every id names an object, which starts at its first call and has
 * empty storage until it writes. Thread-safe.
 *
 * @param <T> the interface of the objects' calls
 */
public interface ObjectNamespace<T> {

  /** {@return the name with which the namespace is registered} */
  String name();

  /**
   * Returns the id of a name: always the same id for one name in one namespace.
   *
   * @param name any text, including the empty one
   * @return the id
   * @throws IllegalArgumentException if the name has a lone surrogate, which UTF-8 cannot express:
   *     two names would share an object
   */
  ObjectId idFromName(String name);

  /**
   * Returns the id of a name near another object: in a cluster both are in one shard, so that a
   * call between them costs no commit. It is the id of {@link #idFromName(String)} with another
   * {@linkplain ObjectId#slot slot}, always the same for one name and one slot in one namespace.
   *
   * <pre>{@code
   * ObjectId customer = customers.idFromName("ann");
   * Order order = orders.getByName("17", customer);
   * }</pre>
   *
   * <p>Name and slot together name an object: {@code idFromName("17")} is another one, and so is
   * the order of a customer with another slot. Lists show all objects of a name. When an object
   * comes into being whose name another one has, the log has {@code name-shared}.
   *
   * @param name any text, including the empty one
   * @param near an id of any namespace
   * @return the id
   * @throws IllegalArgumentException if the name has a lone surrogate
   */
  ObjectId idFromName(String name, ObjectId near);

  /** {@return a new id without a name, from 16 random bytes} */
  ObjectId newUniqueId();

  /**
   * Parses the text of {@link ObjectId#toString}.
   *
   * @param text 64 hexadecimal digits
   * @return the id
   * @throws dev.holdfast.errors.InvalidObjectIdException if the text is not 64 hexadecimal digits,
   *     or is an id of another namespace
   */
  ObjectId idFromString(String text);

  /**
   * Returns the stub of an object. Makes no call and starts nothing.
   *
   * @param id an id of this namespace
   * @return the stub
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   */
  ObjectStub<T> stub(ObjectId id);

  /**
   * {@return the stub of the object with this name}
   *
   * @param name as for {@link #idFromName(String)}
   * @throws IllegalArgumentException if the name has a lone surrogate
   */
  default ObjectStub<T> stub(String name) {
    return stub(idFromName(name));
  }

  /**
   * {@return the stub of the object with this name near another one}
   *
   * @param name as for {@link #idFromName(String, ObjectId)}
   * @param near an id of any namespace
   * @throws IllegalArgumentException if the name has a lone surrogate
   */
  default ObjectStub<T> stub(String name, ObjectId near) {
    return stub(idFromName(name, near));
  }

  /**
   * Returns the interface of an object for blocking calls, the same as {@code stub(id).blocking()}.
   *
   * @param id an id of this namespace
   * @return the interface of the object
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   */
  default T get(ObjectId id) {
    return stub(id).blocking();
  }

  /**
   * {@return the interface of the object with this name for blocking calls}
   *
   * @param name as for {@link #idFromName(String)}
   * @throws IllegalArgumentException if the name has a lone surrogate
   */
  default T getByName(String name) {
    return stub(name).blocking();
  }

  /**
   * {@return the interface of the object with this name near another one, for blocking calls}
   *
   * @param name as for {@link #idFromName(String, ObjectId)}
   * @param near an id of any namespace
   * @throws IllegalArgumentException if the name has a lone surrogate
   */
  default T getByName(String name, ObjectId near) {
    return stub(name, near).blocking();
  }

  /**
   * Lists the objects of this namespace that exist. An object exists from its first write until it
   * has neither data nor an alarm. The list shows only what is durable.
   *
   * @param options which objects, and the size of the page
   * @return a page of their ids: ids with names first, in the UTF-8 order of the names, then by id;
   *     an id carries the name if the object was ever addressed by it
   * @throws IllegalArgumentException if the cursor is malformed
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of objects cannot be read
   */
  Page<ObjectId> list(ObjectListOptions options);

  /** {@return the alarms of all objects of this namespace, for operators} */
  NamespaceAlarms alarms();
}
