package dev.holdfast.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;

/** A key, a value or a count exceeds its limit. Nothing was read or written. */
public final class StorageLimitException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message the limit, and the value that exceeds it
   */
  public StorageLimitException(String namespace, ObjectId id, String message) {
    super(namespace, id, message, null);
  }
}
