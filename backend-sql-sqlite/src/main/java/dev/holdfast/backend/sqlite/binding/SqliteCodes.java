package dev.holdfast.backend.sqlite.binding;

/** Names of SQLite's primary result codes. */
public final class SqliteCodes {

  private static final String[] NAMES = {
    "SQLITE_OK",
    "SQLITE_ERROR",
    "SQLITE_INTERNAL",
    "SQLITE_PERM",
    "SQLITE_ABORT",
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_NOMEM",
    "SQLITE_READONLY",
    "SQLITE_INTERRUPT",
    "SQLITE_IOERR",
    "SQLITE_CORRUPT",
    "SQLITE_NOTFOUND",
    "SQLITE_FULL",
    "SQLITE_CANTOPEN",
    "SQLITE_PROTOCOL",
    "SQLITE_EMPTY",
    "SQLITE_SCHEMA",
    "SQLITE_TOOBIG",
    "SQLITE_CONSTRAINT",
    "SQLITE_MISMATCH",
    "SQLITE_MISUSE",
    "SQLITE_NOLFS",
    "SQLITE_AUTH",
    "SQLITE_FORMAT",
    "SQLITE_RANGE",
    "SQLITE_NOTADB"
  };

  private SqliteCodes() {}

  /**
   * {@return the name of a primary result code}
   *
   * @param code the code
   * @param otherwise the name of an unknown code
   */
  public static String name(int code, String otherwise) {
    return code >= 0 && code < NAMES.length ? NAMES[code] : otherwise;
  }
}
