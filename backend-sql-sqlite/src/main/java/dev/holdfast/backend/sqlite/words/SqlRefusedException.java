package dev.holdfast.backend.sqlite.words;

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

  /** {@return a refusal of something that the application may not do} */
  public static SqlRefusedException notAuthorized(String why) {
    return new SqlRefusedException(why + ": SQLITE_AUTH", SQLITE_AUTH);
  }

  /**
   * {@return a refusal of something that the application may not do, for which the reference has
   * one text only}
   *
   * @param advice what is refused, and what to do instead
   */
  public static SqlRefusedException notAuthorizedBecause(String advice) {
    return new SqlRefusedException("not authorized: SQLITE_AUTH. " + advice, SQLITE_AUTH);
  }

  /** {@return a refusal for what the statement is} */
  public static SqlRefusedException error(String why) {
    return new SqlRefusedException(why, SQLITE_ERROR);
  }

  /** {@return a refusal of a text that SQLite could not parse either} */
  static SqlRefusedException syntax(String why) {
    return error(why + ": SQLITE_ERROR");
  }

  /** {@return a refusal of a text because of a misplaced token} */
  public static SqlRefusedException unexpected(String token) {
    return syntax("near \"" + token + "\": syntax error");
  }

  /** {@return a refusal of a statement that ends too early, with its semicolon or without} */
  public static SqlRefusedException incomplete(String statement) {
    return statement.endsWith(";") ? unexpected(";") : syntax("incomplete input");
  }

  /** {@return SQLite's code for errors of this kind} */
  public int resultCode() {
    return resultCode;
  }

  /** {@return the reason, with the text of the reference runtime} */
  public String text() {
    return String.valueOf(getMessage());
  }
}
