package dev.holdfast;

import java.io.Serial;

/**
 * A storage transaction was used after its end, or something was asked that cannot be done inside
 * of one. Nothing was read or written; the object goes on, and so does a transaction that runs. The
 * messages are those of the reference runtime.
 */
public final class TransactionException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message what was done wrong
   */
  public TransactionException(String namespace, ObjectId id, String message) {
    super(namespace, id, message, null);
  }
}
