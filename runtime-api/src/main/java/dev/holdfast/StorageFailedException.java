package dev.holdfast;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * An object's storage cannot be read or written: an input/output error, a damaged file, no space.
 * The instance is reset; the journal still has everything that was durable.
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
