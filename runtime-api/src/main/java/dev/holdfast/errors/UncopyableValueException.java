package dev.holdfast.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * An argument, a result or a stored value is of a kind that cannot be copied, or is not of the type
 * it is read as. The message names its path, such as {@code argument 1: $.items[3].owner}. Nothing
 * was called or written.
 */
public final class UncopyableValueException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message the path to the value, its class, and what to use instead
   * @param cause the codec's error, or null
   */
  public UncopyableValueException(
      String namespace, ObjectId id, String message, @Nullable Throwable cause) {
    super(namespace, id, message, cause);
  }
}
