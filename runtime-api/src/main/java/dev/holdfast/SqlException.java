package dev.holdfast;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A statement was refused or failed. It had no effect, and the object goes on. The message is
 * SQLite's, followed by SQLite's code, in the form of the reference runtime: {@code no such table:
 * t: SQLITE_ERROR}.
 */
public final class SqlException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  private final int resultCode;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param message the message of SQLite, or the rule that the statement broke
   * @param resultCode SQLite's extended result code; 1 ({@code SQLITE_ERROR}) for rules of the
   *     runtime
   * @param cause the library's error, or null
   */
  public SqlException(
      String namespace, ObjectId id, String message, int resultCode, @Nullable Throwable cause) {
    super(namespace, id, message, cause);
    this.resultCode = resultCode;
  }

  /** {@return SQLite's extended result code} */
  public int resultCode() {
    return resultCode;
  }
}
