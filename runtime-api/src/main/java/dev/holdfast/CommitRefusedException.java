package dev.holdfast;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * What a turn has written cannot be committed as it is: a constraint that is checked at the end is
 * violated, or one batch cannot hold it. Nothing is wrong with the storage; the same code with the
 * same data will fail again. The turn is undone and the instance is reset. A failure of an alarm's
 * handler for this reason counts.
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
