package dev.holdfast.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;

/**
 * The thread was interrupted while it waited for an object, or inside one. Its interrupt flag is
 * set again. A call that was not yet delivered is withdrawn.
 */
public final class CallInterruptedException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message what the thread waited for
   */
  public CallInterruptedException(String namespace, ObjectId id, String message) {
    super(namespace, id, message, null);
  }
}
