package dev.holdfast.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;

/**
 * Code of the application did what is not allowed at that place. The refused operation read and
 * wrote nothing. The cause is a bug in the application: to repeat the operation does not help. The
 * message says what to do instead.
 */
public final class MisuseException extends ObjectException {

  /** What was done. */
  public enum Reason {
    /**
     * A thread that does not run the object's current turn used an {@link
     * dev.holdfast.ObjectContext} or its storage, or a thread used it after the instance was reset
     * or evicted.
     */
    OUTSIDE_OF_TURN,
    /** Code of an object called an operation of operators, which waits for turns of objects. */
    INSIDE_OBJECT,
    /**
     * A fork would be in another shard of a cluster than its origin. On one machine only {@link
     * dev.holdfast.RuntimeOptions#withShardRules} refuses that.
     */
    ANOTHER_SHARD,
    /**
     * The operation is not allowed in a transaction: a wait inside of {@code transactionSync},
     * {@code deleteAll} inside of {@code transaction}, a rollback of an outer transaction while an
     * inner one runs.
     */
    INSIDE_TRANSACTION,
    /** A storage transaction was used after its commit or its rollback. */
    TRANSACTION_ENDED,
    /**
     * Critical sections, or calls between objects that wait for each other, are nested too deeply.
     * Most often objects call each other in a circle. {@link dev.holdfast.ObjectStub#async} cuts a
     * long chain of calls that is intended, because the caller need not wait for the reply.
     */
    NESTED_TOO_DEEPLY,
    /** Critical sections wait for each other in a circle. The message names its objects. */
    DEADLOCK
  }

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param reason what was done
   * @param message what was done, and what to do instead
   */
  public MisuseException(String namespace, ObjectId id, Reason reason, String message) {
    super(namespace, id, message, null);
    this.reason = reason;
  }

  /** {@return what was done} */
  public Reason reason() {
    return reason;
  }
}
