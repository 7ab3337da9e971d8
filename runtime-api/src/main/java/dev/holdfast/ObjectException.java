package dev.holdfast;

import java.io.Serial;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An error about one object. It carries the namespace and the id of the object, and its name if the
 * call was made with an id from a name.
 *
 * <p>The message ends in {@code [object namespace/id]}, whatever the name is, so that programs can
 * cut that off. {@link #getLocalizedMessage}, and with it each stack trace, has the name beside the
 * id.
 */
public abstract class ObjectException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

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
    super(message + suffix(namespace, id.toString()), cause);
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

  /**
   * Returns the message with the object's name beside its id, for logs; {@link #toString} uses it.
   *
   * @return the message, which ends as in {@code [object carts/3f…9c "daily report"]} if the name
   *     is known; a long name is shortened
   */
  @Override
  public final String getLocalizedMessage() {
    String text = String.valueOf(getMessage());
    String suffix = suffix(namespace, objectId);
    if (objectName == null || !text.endsWith(suffix)) {
      return text;
    }
    ObjectId id = ObjectId.of(HexFormat.of().parseHex(objectId), objectName);
    return text.substring(0, text.length() - suffix.length())
        + suffix(namespace, id.toDisplayString());
  }

  private static String suffix(String namespace, String id) {
    return " [object " + namespace + "/" + id + "]";
  }
}
