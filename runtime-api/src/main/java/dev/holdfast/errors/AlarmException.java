package dev.holdfast.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;

/**
 * An alarm cannot be set: the object has no handler, has too many alarms, or its runtime fires
 * none. Nothing was changed.
 */
public final class AlarmException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message what is wrong and what to do
   */
  public AlarmException(String namespace, ObjectId id, String message) {
    super(namespace, id, message, null);
  }
}
