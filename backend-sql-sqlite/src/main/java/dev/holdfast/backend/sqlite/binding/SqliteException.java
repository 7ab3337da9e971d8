package dev.holdfast.backend.sqlite.binding;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * An error that SQLite reported. Checked, so that callers handle the state that a failure leaves.
 */
public final class SqliteException extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  private final int resultCode;
  private final String codeName;

  /**
   * Creates the exception.
   *
   * @param resultCode SQLite's extended result code
   * @param codeName its name, as in {@code SQLITE_CONSTRAINT_UNIQUE}
   * @param message SQLite's own message, nothing added
   * @param cause the error of the library, or null
   */
  public SqliteException(
      int resultCode, String codeName, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.resultCode = resultCode;
    this.codeName = codeName;
  }

  /** {@return the extended result code} */
  public int resultCode() {
    return resultCode;
  }

  /** {@return the primary result code: the low byte of the extended one} */
  public int primaryCode() {
    return resultCode & 0xFF;
  }

  /** {@return the name of the extended result code} */
  public String codeName() {
    return codeName;
  }

  /** {@return SQLite's own message} */
  public String text() {
    return String.valueOf(getMessage());
  }
}
