package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;

/**
 * The results of ANALYZE. It reads every table, including the hidden ones, and keeps samples of
 * their keys where the application can read them.
 */
public final class Statistics {

  private static final String TABLES =
      "SELECT name FROM main.sqlite_schema WHERE name IN ('sqlite_stat1', 'sqlite_stat4')";

  private Statistics() {}

  /** Deletes the statistics of hidden tables, in the open transaction. */
  public static void forgetHidden(ObjectConnection connection) throws SqliteException {
    for (String table : connection.statements().texts(TABLES)) {
      connection.run("DELETE FROM main." + table + " WHERE lower(substr(tbl, 1, 4)) = '_cf_'");
    }
  }
}
