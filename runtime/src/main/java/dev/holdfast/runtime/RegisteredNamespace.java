package dev.holdfast.runtime;

import dev.holdfast.ObjectId;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.recovery.Neighbor;
import dev.holdfast.runtime.internal.stub.ObjectIds;
import java.util.Map;
import java.util.Objects;

/**
 * A namespace as it was registered: what is known of it where its objects are not. Thread-safe.
 *
 * @param <T> the interface of its objects
 */
public final class RegisteredNamespace<T> {

  private final String name;
  private final Class<T> type;
  private final StructuredClone values;
  private final ObjectIds ids;

  RegisteredNamespace(String name, Class<T> type, StructuredClone values, ObjectIds ids) {
    this.name = name;
    this.type = type;
    this.values = values;
    this.ids = ids;
  }

  /**
   * {@return what is known of a namespace}
   *
   * @param <N> what is known
   * @param namespaces all of them, by name
   * @param name its name
   * @throws NamespaceException if no namespace has this name
   */
  public static <N> N find(Map<String, N> namespaces, String name) {
    N found = namespaces.get(name);
    if (found == null) {
      throw new NamespaceException(
          name,
          "No namespace \"" + name + "\" is registered; there are " + namespaces.keySet() + ".");
    }
    return found;
  }

  /**
   * Refuses another interface than the objects have.
   *
   * @param name of the namespace
   * @param registered the interface of its objects
   * @param wanted what a caller takes it for
   * @throws NamespaceException if they differ
   */
  public static void requireType(String name, Class<?> registered, Class<?> wanted) {
    if (registered != wanted) {
      throw new NamespaceException(
          name,
          "The namespace \""
              + name
              + "\" has objects of type "
              + registered.getName()
              + ", not "
              + wanted.getName()
              + ".");
    }
  }

  /** {@return the name} */
  public String name() {
    return name;
  }

  /** {@return the interface of the objects} */
  public Class<T> type() {
    return type;
  }

  /** {@return how arguments and results are copied} */
  public StructuredClone values() {
    return values;
  }

  /**
   * {@return the id of the object with a name}
   *
   * @param objectName its name
   * @throws IllegalArgumentException if the name has a lone surrogate
   */
  public ObjectId idFromName(String objectName) {
    return ids.fromName(objectName);
  }

  /**
   * {@return the id of the object with a name near another one}
   *
   * @param objectName its name
   * @param near an id of any namespace
   * @throws IllegalArgumentException if the name has a lone surrogate
   */
  public ObjectId idFromName(String objectName, Neighbor near) {
    return ids.fromName(objectName, Objects.requireNonNull(near, "near"));
  }

  /** {@return a new id without a name} */
  public ObjectId newUniqueId() {
    return ids.unique();
  }

  /**
   * {@return the id that a text stands for}
   *
   * @param text 64 hexadecimal digits
   * @throws dev.holdfast.errors.InvalidObjectIdException if it is not an id of this namespace
   */
  public ObjectId idFromString(String text) {
    return ids.fromString(text);
  }

  /**
   * Refuses an id of another namespace.
   *
   * @param id the id
   * @throws dev.holdfast.errors.InvalidObjectIdException if it is none of this namespace
   */
  public void check(ObjectId id) {
    ids.check(id);
  }
}
