package dev.holdfast.benchmarks.sql;

import dev.holdfast.ObjectContext;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.sql.SqlStorage;

/** The loops of {@link SqlBenchmark} as an object. */
final class SqlLoopsObject implements SqlLoops {

  static final String TABLE = "CREATE TABLE entry (id INTEGER PRIMARY KEY, n INTEGER, text TEXT)";
  static final String LOG = "CREATE TABLE log (n INTEGER, text TEXT)";
  static final String SELECT = "SELECT n, text FROM entry WHERE id = ?";
  static final String INSERT = "INSERT INTO log VALUES (?, ?)";
  static final String DELETE = "DELETE FROM log";
  static final String RANGE = "SELECT n FROM entry WHERE id >= ? LIMIT 10";
  static final String SCAN = "SELECT n, text FROM entry";

  private final SqlStorage sql;

  SqlLoopsObject(ObjectContext context) {
    this.sql = context.storage().sql();
  }

  static String filling(int rows) {
    return "WITH RECURSIVE i(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM i WHERE n < "
        + rows
        + ") INSERT INTO entry SELECT n, n * 7, 'text of row ' || n FROM i";
  }

  @Override
  public void fill(int rows) {
    sql.exec(TABLE);
    sql.exec(LOG);
    sql.exec(filling(rows));
  }

  @Override
  public long select(int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += sql.exec(SELECT, 1 + i * 97L % SqlBenchmark.ROWS).one().getLong("n");
    }
    return sum;
  }

  @Override
  public long insert(int count) {
    sql.exec(DELETE);
    for (int i = 0; i < count; i++) {
      sql.exec(INSERT, (long) i, "a row of some length");
    }
    return count;
  }

  @Override
  public long ranges(int count, boolean counts) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      SqlCursor rows = sql.exec(RANGE, 1 + i * 97L % SqlBenchmark.ROWS);
      for (SqlRow row : rows) {
        sum += row.getLong("n");
      }
      sum += counts ? rows.rowsRead() + rows.rowsWritten() : 0;
    }
    return sum;
  }

  @Override
  public long scan() {
    long sum = 0;
    for (SqlRow row : sql.exec(SCAN)) {
      sum += row.getLong("n") + String.valueOf(row.getString("text")).length();
    }
    return sum;
  }
}
