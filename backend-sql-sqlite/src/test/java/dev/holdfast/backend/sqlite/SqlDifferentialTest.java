package dev.holdfast.backend.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.SqlException;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.jspecify.annotations.Nullable;

/** Random schemas and statements, here and through plain sqlite-jdbc: always the same rows. */
final class SqlDifferentialTest {

  private static final Object[] NONE = {};

  @Property(tries = 40)
  void statementsDoWhatTheyDoInPlainSqlite(@ForAll("programs") List<String> program)
      throws IOException, SQLException {
    Path root = Files.createTempDirectory("differential");
    SqliteHost host = new SqliteHost(root, 4);
    try (Connection plain = DriverManager.getConnection("jdbc:sqlite::memory:");
        Statement statement = plain.createStatement()) {
      statement.execute("PRAGMA foreign_keys=ON");
      ObjectStore store = host.store(1);
      StoreTurn turn = store.beginTurn();
      for (String sql : program) {
        if (sql.equals("end of turn")) {
          turn.seal();
          turn = store.beginTurn();
        } else {
          assertThat(here(turn, sql)).as(sql).isEqualTo(there(statement, sql));
        }
      }
      turn.seal();
    } finally {
      host.close();
      try (var files = Files.walk(root)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** A cursor, its rows, and whether it was read to the end. */
  private record Open(SqlRows rows, Deque<Long> expected) {}

  /** Opens, reads, keeps and abandons cursors in any order; each sees its own rows in order. */
  @Property(tries = 40)
  void cursorsReadOnTheirOwn(@ForAll("cursorSteps") List<Integer> steps) throws IOException {
    Path root = Files.createTempDirectory("cursors");
    SqliteHost host = new SqliteHost(root, 4);
    try {
      StoreTurn turn = host.store(1).beginTurn();
      turn.exec("CREATE TABLE t (v)", NONE);
      List<Open> open = new ArrayList<>();
      long next = 0;
      boolean isKept = false;
      for (int step : steps) {
        int choice = step % 5;
        if (choice == 0 && !isKept) {
          Deque<Long> expected = new ArrayDeque<>();
          long count = step / 5 % 6;
          for (long value = 0; value < count; value++) {
            expected.add(next + value);
          }
          String query =
              "WITH RECURSIVE n(i) AS (VALUES (?1) UNION ALL SELECT i + 1 FROM n WHERE i < ?2)"
                  + " SELECT i FROM n WHERE ?1 <= ?2";
          open.add(new Open(turn.exec(query, new Object[] {next, next + count - 1}), expected));
          next += count;
        } else if (choice == 1 && !isKept) {
          turn.exec("INSERT INTO t VALUES (?)", new Object[] {next});
        } else if (choice == 2 && step % 7 == 0) {
          turn.keepCursors();
          isKept = true;
        } else if (!open.isEmpty()) {
          Open read = open.get(step % open.size());
          @Nullable Object[] row = read.rows().next();
          Long expected = read.expected().poll();
          assertThat(row == null ? null : row[0]).isEqualTo(expected);
        }
      }
      for (Open left : open) {
        for (Long expected : left.expected()) {
          @Nullable Object[] row = left.rows().next();
          assertThat(row == null ? null : row[0]).isEqualTo(expected);
        }
        assertThat(left.rows().next()).isNull();
      }
      turn.discard();
    } finally {
      host.close();
      try (var files = Files.walk(root)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @Provide
  Arbitrary<List<Integer>> cursorSteps() {
    return Arbitraries.integers().between(0, 1_000).list().ofMaxSize(60);
  }

  private static List<String> here(StoreTurn turn, String sql) {
    List<String> found = new ArrayList<>();
    try (SqlRows rows = turn.exec(sql, NONE)) {
      for (@Nullable Object[] row = rows.next(); row != null; row = rows.next()) {
        found.add(shown(row));
      }
    } catch (SqlException e) {
      return List.of("error");
    }
    return found;
  }

  private static List<String> there(Statement statement, String sql) throws SQLException {
    List<String> found = new ArrayList<>();
    try {
      if (!statement.execute(sql)) {
        return found;
      }
    } catch (SQLException e) {
      return List.of("error");
    }
    try (ResultSet rows = statement.getResultSet()) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        @Nullable Object[] row = new @Nullable Object[columns];
        for (int column = 0; column < columns; column++) {
          Object value = rows.getObject(column + 1);
          row[column] = value instanceof Integer number ? (Object) number.longValue() : value;
        }
        found.add(shown(row));
      }
    }
    return found;
  }

  private static String shown(@Nullable Object[] row) {
    return Arrays.deepToString(row);
  }

  @Provide
  Arbitrary<List<String>> programs() {
    Arbitrary<String> table = Arbitraries.of("a", "b", "c");
    Arbitrary<String> column = Arbitraries.of("x", "y", "z");
    Arbitrary<String> value =
        Arbitraries.of("0", "1", "2", "-5", "2.5", "'t'", "'1'", "NULL", "x'00ff'", "1e300");
    Arbitrary<String> template =
        Arbitraries.frequencyOf(
            Tuple.of(
                2,
                Arbitraries.of(
                    "CREATE TABLE %1$s (x INTEGER PRIMARY KEY, y, z TEXT)",
                    "CREATE TABLE %1$s (x UNIQUE, y INTEGER NOT NULL, z REAL DEFAULT 1)",
                    "CREATE TABLE %1$s (x, y, z, PRIMARY KEY (x, y)) WITHOUT ROWID",
                    "CREATE INDEX i_%1$s_%2$s ON %1$s (%2$s)",
                    "CREATE TRIGGER tr_%1$s AFTER DELETE ON %1$s BEGIN"
                        + " UPDATE a SET y = 0 WHERE x = old.x; END",
                    "DROP TABLE %1$s",
                    "ALTER TABLE %1$s ADD COLUMN added DEFAULT %3$s",
                    "end of turn")),
            Tuple.of(
                5,
                Arbitraries.of(
                    "INSERT INTO %1$s (x, y, z) VALUES (%3$s, %4$s, 1)",
                    "INSERT OR IGNORE INTO %1$s (x, y, z) VALUES (%3$s, 1, %4$s), (%4$s, 2, 'q')",
                    "INSERT OR REPLACE INTO %1$s (x, y, z) VALUES (%3$s, %4$s, 'r') RETURNING *",
                    "INSERT INTO %1$s (x, y, z) SELECT z, y, x FROM a",
                    "UPDATE %1$s SET %2$s = %3$s WHERE y = %4$s",
                    "UPDATE %1$s SET y = y + 1",
                    "DELETE FROM %1$s WHERE %2$s < %3$s")),
            Tuple.of(
                5,
                Arbitraries.of(
                    "SELECT * FROM %1$s ORDER BY 1, 2, 3",
                    "SELECT count(*), sum(%2$s), min(%2$s), max(y) FROM %1$s",
                    "SELECT typeof(%2$s), quote(%2$s) FROM %1$s WHERE %2$s >= %3$s ORDER BY 1, 2",
                    "SELECT %2$s, count(*) FROM %1$s GROUP BY %2$s ORDER BY 1",
                    "SELECT a.x, b.y FROM a JOIN b ON a.x = b.x ORDER BY 1, 2",
                    "SELECT %2$s FROM %1$s UNION SELECT y FROM b ORDER BY 1 LIMIT 5",
                    "SELECT changes()")));
    Arbitrary<String> statement =
        Combinators.combine(template, table, column, value, value)
            .as((text, t, c, first, second) -> String.format(text, t, c, first, second));
    return statement
        .list()
        .ofMinSize(10)
        .ofMaxSize(60)
        .map(
            statements -> {
              List<String> program =
                  new ArrayList<>(
                      List.of(
                          "CREATE TABLE a (x INTEGER PRIMARY KEY, y, z)",
                          "CREATE TABLE b (x REFERENCES a (x) ON DELETE SET NULL, y, z)"));
              program.addAll(statements);
              return program;
            });
  }
}
