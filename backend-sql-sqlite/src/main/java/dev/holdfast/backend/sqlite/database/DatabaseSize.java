package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;

/** Reads the size of a database. */
public final class DatabaseSize {

  private static final String PAGE_COUNT = "PRAGMA main.page_count";
  private static final String FREE_PAGE_COUNT = "PRAGMA main.freelist_count";
  private static final String PAGE_SIZE = "PRAGMA main.page_size";

  private DatabaseSize() {}

  /** {@return the size in bytes, including uncommitted pages and excluding free ones} */
  public static long of(ObjectConnection connection) throws SqliteException {
    long pages = ask(connection, PAGE_COUNT) - ask(connection, FREE_PAGE_COUNT);
    return pages * ask(connection, PAGE_SIZE);
  }

  private static long ask(ObjectConnection connection, String sql) throws SqliteException {
    SqliteStatement statement = connection.statements().take(sql);
    try {
      statement.start();
      return statement.integer(0);
    } finally {
      connection.statements().giveBack(sql, statement);
    }
  }
}
