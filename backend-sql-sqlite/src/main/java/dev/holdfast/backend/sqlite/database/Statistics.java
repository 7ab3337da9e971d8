package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import java.util.ArrayList;
import java.util.List;

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
    for (String table : tables(connection)) {
      connection.run("DELETE FROM main." + table + " WHERE lower(substr(tbl, 1, 4)) = '_cf_'");
    }
  }

  private static List<String> tables(ObjectConnection connection) throws SqliteException {
    SqliteStatement query = connection.statements().take(TABLES);
    try {
      List<String> tables = new ArrayList<>(2);
      boolean hasRow = query.start();
      while (hasRow) {
        tables.add(String.valueOf(query.value(0)));
        hasRow = query.step();
      }
      return tables;
    } finally {
      connection.statements().giveBack(TABLES, query);
    }
  }
}
