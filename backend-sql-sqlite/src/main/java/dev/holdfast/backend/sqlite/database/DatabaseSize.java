package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.StatementCache;

/** Reads the size of a database. */
public final class DatabaseSize {

  private static final String PAGE_COUNT = "PRAGMA main.page_count";
  private static final String FREE_PAGE_COUNT = "PRAGMA main.freelist_count";
  private static final String PAGE_SIZE = "PRAGMA main.page_size";

  private DatabaseSize() {}

  /** {@return the size in bytes, including uncommitted pages and excluding free ones} */
  public static long of(ObjectConnection connection) throws SqliteException {
    StatementCache statements = connection.statements();
    long pages = statements.integer(PAGE_COUNT) - statements.integer(FREE_PAGE_COUNT);
    return pages * statements.integer(PAGE_SIZE);
  }
}
