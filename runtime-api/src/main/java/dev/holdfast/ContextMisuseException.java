package dev.holdfast;

import java.io.Serial;

/**
 * An {@link ObjectContext} or its storage was used by a thread that does not run the object's
 * current turn, or after the instance was reset or evicted. Nothing was read or written.
 */
public final class ContextMisuseException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message what was done wrong and what to do instead
   */
  public ContextMisuseException(String namespace, ObjectId id, String message) {
    super(namespace, id, message, null);
  }
}
