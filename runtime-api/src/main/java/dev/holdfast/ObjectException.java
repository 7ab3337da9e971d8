package dev.holdfast;

import java.io.Serial;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An error about one object. It carries the namespace and the id of the object, and its name if the
 * call was made with an id from a name.
 *
 * <p>The message ends in {@code [object namespace/id]}, and in {@code (name "daily report") [object
 * namespace/id]} if the name is known; a long name is shortened. {@link #withoutObject} has the
 * message without that.
 */
public abstract class ObjectException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  private final String message;
  private final String namespace;
  private final String objectId;
  private final @Nullable String objectName;

  /**
   * For subclasses.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message what happened and what to do; the object's id is appended
   * @param cause the reason, or null
   */
  protected ObjectException(
      String namespace, ObjectId id, String message, @Nullable Throwable cause) {
    super(message + named(id) + " [object " + namespace + "/" + id + "]", cause);
    this.message = message;
    this.namespace = namespace;
    this.objectId = id.toString();
    this.objectName = id.name().orElse(null);
  }

  /** {@return the name of the object's namespace} */
  public final String namespace() {
    return namespace;
  }

  /** {@return the object's id as 64 hexadecimal digits} */
  public final String objectId() {
    return objectId;
  }

  /** {@return the name that the object's id was made from; empty if it is not known} */
  public final Optional<String> objectName() {
    return Optional.ofNullable(objectName);
  }

  /** {@return the message without the object, which it ends with} */
  public final String withoutObject() {
    return message;
  }

  private static String named(ObjectId id) {
    return id.name().isEmpty()
        ? ""
        : " (name " + id.toDisplayString().substring(id.toString().length() + 1) + ")";
  }
}
