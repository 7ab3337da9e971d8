package dev.holdfast.cluster.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The node that owns the object could not be reached, or was lost before it answered. {@link
 * #delivery} says whether the call may have had an effect. A call is never sent twice by the
 * runtime unless it surely had not begun.
 */
public final class ObjectUnavailableException extends ObjectException {

  /** Whether the object may have begun the call. */
  public enum Delivery {
    /** The object has not begun the call, and will not. To repeat it is safe. */
    NOT_DELIVERED,
    /** The object may have begun or completed the call. Read what it has done before you repeat. */
    UNKNOWN
  }

  @Serial private static final long serialVersionUID = 1L;

  private final Delivery delivery;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param delivery whether the object may have begun the call
   * @param message what happened, and what to do
   * @param cause the reason, or null
   */
  public ObjectUnavailableException(
      String namespace, ObjectId id, Delivery delivery, String message, @Nullable Throwable cause) {
    super(namespace, id, message, cause);
    this.delivery = delivery;
  }

  /** {@return whether the object may have begun the call} */
  public Delivery delivery() {
    return delivery;
  }
}
