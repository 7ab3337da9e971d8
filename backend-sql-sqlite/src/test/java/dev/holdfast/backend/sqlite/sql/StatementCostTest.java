package dev.holdfast.backend.sqlite.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.program.StatementCost;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which statements are short, by their program: they run on virtual threads. */
final class StatementCostTest {

  private static final String SCHEMA =
      """
      PRAGMA foreign_keys=ON;
      CREATE TABLE p (id INTEGER PRIMARY KEY);
      CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, n INT UNIQUE, p REFERENCES p);
      CREATE INDEX i ON t (v);
      CREATE TABLE g (v);
      CREATE TRIGGER gt AFTER INSERT ON g BEGIN UPDATE t SET v = 1; END;
      CREATE VIRTUAL TABLE ft USING fts5(a);
      """;

  @TempDir private Path root;
  private SqliteConnection connection;

  @BeforeEach
  void open() throws SqliteException {
    connection = SqliteLibrary.jdbc().open(root.resolve("object.sqlite"));
    connection.execute(SCHEMA);
  }

  @AfterEach
  void close() throws SqliteException {
    connection.close();
  }

  private StatementCost cost(String sql) throws SqliteException {
    return new StatementPlans(new Schemas(), connection, () -> "")
        .of(new SqlScripts().of(sql).statements().getFirst(), Long.MAX_VALUE, null)
        .cost();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT v FROM t WHERE id = ?",
        "SELECT * FROM t WHERE n = ?",
        "SELECT json_extract(v, '$.a') FROM t WHERE id = ?",
        "SELECT t.v FROM t, p WHERE t.id = ? AND p.id = t.p",
        "SELECT trim(v) FROM t WHERE id = ?",
        "SELECT unhex(v) FROM t WHERE id = ?",
        "SELECT max(id) FROM t",
        "INSERT INTO t (v, n) VALUES (?, ?)",
        "INSERT INTO t VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET v = excluded.v",
        "INSERT INTO t VALUES (?, ?, ?, ?) RETURNING id",
        "UPDATE t SET v = ?, n = n + 1 WHERE id = ?",
        "DELETE FROM t WHERE id = ?"
      })
  void searchesAndChangesByKeyAreShort(String sql) throws SqliteException {
    assertThat(cost(sql).startsShort()).isTrue();
    assertThat(cost(sql).continuesShort()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM t",
        "SELECT v FROM t WHERE v > ? LIMIT 10",
        "SELECT id FROM t WHERE id BETWEEN ? AND ?",
      })
  void rowsThatFollowOneAnotherAreShortToTheNext(String sql) throws SqliteException {
    assertThat(cost(sql).startsShort()).isTrue();
    assertThat(cost(sql).continuesShort()).isTrue();
  }

  @Test
  void sortIsLongOnlyToItsFirstRow() throws SqliteException {
    StatementCost cost = cost("SELECT id FROM t ORDER BY n + 1");
    assertThat(cost.startsShort()).isFalse();
    assertThat(cost.continuesShort()).isTrue();
    assertThat(cost.mayWriteFiles()).isTrue();
    assertThat(cost.writesBetweenRows()).isFalse();
    assertThat(cost("SELECT DISTINCT n + 1 FROM t").writesBetweenRows()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT id FROM t WHERE n + 1 = ?",
        "SELECT count(*) FROM t",
        "SELECT count(*) FROM t WHERE v LIKE 'a%'",
        "SELECT trim(v, ?) FROM t WHERE id = ?",
        "SELECT replace(v, 'a', ?) FROM t WHERE id = ?",
        "SELECT unhex(v, ?) FROM t WHERE id = ?",
        "SELECT (SELECT sum(n) FROM t b WHERE b.v = a.v) FROM t a WHERE id = ?",
        "SELECT a FROM ft WHERE ft MATCH ?",
        "SELECT value FROM json_each(?)",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "INSERT INTO t SELECT * FROM t",
        "INSERT INTO g VALUES (?)",
        "INSERT INTO ft VALUES (?)",
        "UPDATE t SET v = ?",
        "DELETE FROM t",
        "DELETE FROM t WHERE n > ?",
        "DELETE FROM p WHERE id = ?",
        "DROP TABLE t",
        "CREATE INDEX j ON t (p)",
        "PRAGMA quick_check"
      })
  void whatGoesAroundOrIsNotKnownIsLong(String sql) throws SqliteException {
    assertThat(cost(sql).startsShort() && cost(sql).continuesShort()).isFalse();
  }
}
