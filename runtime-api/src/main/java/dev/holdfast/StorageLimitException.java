package dev.holdfast;

import java.io.Serial;

/** A key, a value or a count is over its limit. Nothing was read or written. */
public final class StorageLimitException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message which limit, and the value that is over it
   */
  public StorageLimitException(String namespace, ObjectId id, String message) {
    super(namespace, id, message, null);
  }
}
