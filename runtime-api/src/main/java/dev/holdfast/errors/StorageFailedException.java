package dev.holdfast.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The storage of an object cannot be read or written: an I/O error, a damaged file, no space. The
 * instance is reset. The journal still has all durable writes.
 */
public final class StorageFailedException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message what failed, with the file, and what to do
   * @param cause the reason, or null
   */
  public StorageFailedException(
      String namespace, ObjectId id, String message, @Nullable Throwable cause) {
    super(namespace, id, message, cause);
  }
}
