package dev.holdfast.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * The writes of a turn cannot be committed: they violate a constraint that is checked at the
 * commit, or one batch cannot hold them. The storage is sound; the same code with the same data
 * fails again. The turn is undone and the instance is reset. If an alarm handler fails for this
 * reason, the failure counts as a retry.
 */
public final class CommitRefusedException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message what is wrong with the writes
   * @param cause the reason, or null
   */
  public CommitRefusedException(
      String namespace, ObjectId id, String message, @Nullable Throwable cause) {
    super(namespace, id, message, cause);
  }
}
