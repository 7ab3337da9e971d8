package dev.holdfast.backend.sqlite;

import java.io.Serial;

/** A statement that may not be run; becomes a {@link dev.holdfast.SqlException} of its object. */
final class SqlRefusedException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final int resultCode;

  SqlRefusedException(String message, int resultCode) {
    super(message);
    this.resultCode = resultCode;
  }

  int resultCode() {
    return resultCode;
  }

  String text() {
    return String.valueOf(getMessage());
  }
}
