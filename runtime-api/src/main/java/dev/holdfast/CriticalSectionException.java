package dev.holdfast;

import java.io.Serial;

/**
 * A critical section cannot be entered, or can never end: nested too deeply, or part of a cycle of
 * sections that wait for each other. The message names the chain of objects.
 */
public final class CriticalSectionException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message why
   */
  public CriticalSectionException(String namespace, ObjectId id, String message) {
    super(namespace, id, message, null);
  }
}
