package dev.holdfast.backend.sqlite.sql;

import java.io.Serial;

/** A statement that may not be run; becomes a {@link dev.holdfast.SqlException} of its object. */
public final class SqlRefusedException extends RuntimeException {

  private static final int SQLITE_ERROR = 1;
  private static final int SQLITE_AUTH = 23;

  @Serial private static final long serialVersionUID = 1L;

  private final int resultCode;

  private SqlRefusedException(String message, int resultCode) {
    super(message);
    this.resultCode = resultCode;
  }

  /** {@return a refusal of something that is not allowed to the application} */
  static SqlRefusedException notAuthorized(String why) {
    return new SqlRefusedException(why + ": SQLITE_AUTH", SQLITE_AUTH);
  }

  /** {@return a refusal for what the statement is} */
  static SqlRefusedException error(String why) {
    return new SqlRefusedException(why, SQLITE_ERROR);
  }

  /** {@return SQLite's code for errors of this kind} */
  public int resultCode() {
    return resultCode;
  }

  /** {@return why, in the words of the reference runtime} */
  public String text() {
    return String.valueOf(getMessage());
  }
}
