package dev.holdfast;

/**
 * All objects of one kind: an interface, the factory of its instances and the objects' storage.
 *
 * <p>Objects need not be created: every id names an object, which starts at its first call and has
 * empty storage until it writes. Thread-safe.
 *
 * @param <T> the interface through which objects are called
 */
public interface ObjectNamespace<T> {

  /** {@return the name under which the namespace is registered} */
  String name();

  /**
   * Returns the id for a name: always the same for one name in one namespace.
   *
   * @param name any text, also the empty one
   * @return the id
   * @throws IllegalArgumentException if the name has a lone surrogate, which is no text: it would
   *     share its object with another name
   */
  ObjectId idFromName(String name);

  /** {@return a new id that no name leads to, from 16 random bytes} */
  ObjectId newUniqueId();

  /**
   * Returns the id written as text by {@link ObjectId#toString}.
   *
   * @param text 64 hexadecimal digits
   * @return the id
   * @throws InvalidObjectIdException if the text is not 64 hexadecimal digits, or is an id of
   *     another namespace
   */
  ObjectId idFromString(String text);

  /**
   * Returns the stub of an object.
   *
   * @param id an id of this namespace
   * @return the stub; makes no call and starts nothing
   * @throws InvalidObjectIdException if the id belongs to another namespace
   */
  ObjectStub<T> stub(ObjectId id);

  /**
   * {@return the stub of the object with this name}
   *
   * @param name any string
   */
  default ObjectStub<T> stub(String name) {
    return stub(idFromName(name));
  }

  /**
   * Returns the interface of an object for blocking calls, the same as {@code stub(id).blocking()}.
   *
   * @param id an id of this namespace
   * @return the interface of the object
   * @throws InvalidObjectIdException if the id belongs to another namespace
   */
  default T get(ObjectId id) {
    return stub(id).blocking();
  }

  /**
   * {@return the interface of the object with this name for blocking calls}
   *
   * @param name any string
   */
  default T getByName(String name) {
    return stub(name).blocking();
  }

  /**
   * Lists the objects of this namespace that exist: those that have written something, until they
   * delete everything and have no alarm. What is listed is durable.
   *
   * @param options which objects, and how many at once
   * @return a page of their ids; ids carry the name of the object if it was ever addressed by it
   * @throws IllegalArgumentException if the cursor is none
   * @throws DataDirectoryException if the directory cannot be read
   */
  Page<ObjectId> list(ObjectListOptions options);

  /** {@return the alarms of all objects of this namespace, for operators} */
  NamespaceAlarms alarms();
}
