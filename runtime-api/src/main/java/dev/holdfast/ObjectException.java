package dev.holdfast;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** An error about one object. It carries the namespace and the id of the object. */
public abstract class ObjectException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  private final String namespace;
  private final String objectId;

  /**
   * For subclasses.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message what happened and what to do; the object's name is appended
   * @param cause the reason, or null
   */
  protected ObjectException(
      String namespace, ObjectId id, String message, @Nullable Throwable cause) {
    super(message + " [object " + namespace + "/" + id + "]", cause);
    this.namespace = namespace;
    this.objectId = id.toString();
  }

  /** {@return the name of the object's namespace} */
  public final String namespace() {
    return namespace;
  }

  /** {@return the object's id as 64 hexadecimal digits} */
  public final String objectId() {
    return objectId;
  }
}
