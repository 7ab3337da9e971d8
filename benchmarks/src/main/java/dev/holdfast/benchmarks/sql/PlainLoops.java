package dev.holdfast.benchmarks.sql;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The loops of {@link SqlLoopsObject}, handwritten on plain sqlite-jdbc without syncs. Owned by one
 * thread.
 */
final class PlainLoops implements AutoCloseable {

  private final Connection connection;
  private final PreparedStatement select;
  private final PreparedStatement insert;
  private final PreparedStatement delete;
  private final PreparedStatement scan;

  PlainLoops(Path file) throws SQLException {
    connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA locking_mode=EXCLUSIVE");
      statement.execute("PRAGMA synchronous=OFF");
      statement.execute("PRAGMA journal_mode=WAL");
      statement.execute("PRAGMA cache_size=-512");
      statement.execute(SqlLoopsObject.TABLE);
      statement.execute(SqlLoopsObject.LOG);
      statement.execute(SqlLoopsObject.filling(SqlBenchmark.ROWS));
    }
    connection.setAutoCommit(false);
    select = connection.prepareStatement(SqlLoopsObject.SELECT);
    insert = connection.prepareStatement(SqlLoopsObject.INSERT);
    delete = connection.prepareStatement(SqlLoopsObject.DELETE);
    scan = connection.prepareStatement(SqlLoopsObject.SCAN);
  }

  long select(int count) throws SQLException {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      select.setLong(1, 1 + i * 97L % SqlBenchmark.ROWS);
      try (ResultSet rows = select.executeQuery()) {
        if (rows.next()) {
          sum += rows.getLong("n");
        }
      }
    }
    return sum;
  }

  long insert(int count) throws SQLException {
    delete.executeUpdate();
    for (int i = 0; i < count; i++) {
      insert.setLong(1, i);
      insert.setString(2, "a row of some length");
      insert.executeUpdate();
    }
    connection.commit();
    return count;
  }

  long scan() throws SQLException {
    long sum = 0;
    try (ResultSet rows = scan.executeQuery()) {
      while (rows.next()) {
        sum += rows.getLong("n");
        sum += rows.getString("text").length();
      }
    }
    return sum;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
