package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers observed from the reference runtime, where a guard or the library might answer otherwise.
 */
final class ReferenceAnswersTest extends OpenObject {

  @Test
  void tablesMayHaveGeneratedColumns() {
    StoreTurn turn = store.beginTurn();
    SqlRows made =
        turn.exec("CREATE TABLE g (a, b AS (a * 2), c GENERATED ALWAYS AS (a + 1) STORED)", NONE);
    assertThat(made.rowsRead()).isEqualTo(1);
    assertThat(made.rowsWritten()).isEqualTo(2);
    turn.exec("INSERT INTO g (a) VALUES (5)", NONE);
    turn.exec("ALTER TABLE g ADD COLUMN d AS (a || 'x')", NONE);
    assertThat(turn.exec("SELECT * FROM g", NONE).next()).containsExactly(5L, 10L, 6L, "5x");
    assertThatThrownBy(() -> turn.exec("CREATE TABLE h (v, a AS (b), b AS (a))", NONE))
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("generated column loop");
    turn.discard();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE g (a, b AS ((SELECT max(value) FROM _cf_KV)))",
        "CREATE TABLE _cf_g (a, b AS (a))",
        "CREATE TABLE g (a, b AS (load_extension('x')))"
      })
  void generatedColumnsLeadToNoHiddenTable(String sql) {
    commit(store, turn -> turn.put(new byte[] {1}, new byte[] {1}));
    StoreTurn turn = store.beginTurn();
    assertThatThrownBy(
            () -> {
              turn.exec(sql, NONE);
              turn.exec("INSERT INTO g (a) VALUES (1)", NONE);
              turn.exec("SELECT * FROM g", NONE).next();
            })
        .isInstanceOf(SqlException.class);
    turn.discard();
  }

  /**
   * The reference also allows such names for columns of tables; {@code docs/conformance.md}
   * explains why we do not.
   */
  @Test
  void namesWithinAQueryMayBeginLikeHiddenTablesAndThoseOfADefinitionMayNot() {
    StoreTurn turn = store.beginTurn();
    turn.exec("CREATE TABLE t (a)", NONE);
    turn.exec("INSERT INTO t VALUES (7)", NONE);
    assertThat(turn.exec("SELECT a AS _cf_a FROM t ORDER BY _cf_a", NONE).columnNames())
        .containsExactly("_cf_a");
    assertThat(turn.exec("SELECT _cf_t.a FROM t AS _cf_t", NONE).next()).containsExactly(7L);
    assertThat(turn.exec("WITH _cf_w AS (SELECT a FROM t) SELECT a FROM _cf_w", NONE).next())
        .containsExactly(7L);
    assertThatThrownBy(() -> turn.exec("CREATE TABLE u (_cf_a)", NONE))
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("access to _cf_a is prohibited");
    turn.discard();
  }

  @Test
  void nameOfAColumnHasTheCommentAfterIt() {
    StoreTurn turn = store.beginTurn();
    assertThat(turn.exec("SELECT 1 -- c", NONE).columnNames()).containsExactly("1 -- c");
    assertThat(turn.exec("SELECT 2 /* c */ ; ", NONE).columnNames()).containsExactly("2 /* c */");
    assertThat(turn.exec("SELECT 3 /* open", NONE).columnNames()).containsExactly("3 /* open");
    assertThat(turn.exec("SELECT 1 -- c\n; SELECT 4  ", NONE).columnNames()).containsExactly("4");
    turn.discard();
  }

  @Test
  void surrogateInATextIsThreeReplacementCharacters() {
    StoreTurn turn = store.beginTurn();
    String question =
        "SELECT char(0xd800) || 'a', CAST(x'edbf61' AS TEXT), CAST(x'ed9fbf' AS TEXT)";
    assertThat(turn.exec(question, NONE).next())
        .containsExactly("\uFFFD\uFFFD\uFFFDa", "\uFFFD\uFFFDa", "\uD7FF");
    turn.discard();
  }

  @Test
  void whatPrecedesAStatementThatIsMissingIsFoundFaultWithFirst() {
    StoreTurn turn = store.beginTurn();
    assertThatThrownBy(() -> turn.exec("SELECT ? ; -- c", new Object[] {1L}))
        .hasMessageContaining("only the last statement can have parameters");
    assertThatThrownBy(() -> turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1); -- c", NONE))
        .hasMessageContaining("SQL code did not contain a statement.");
    assertThatThrownBy(() -> turn.exec("SELECT * FROM t", NONE))
        .hasMessageContaining("no such table: t");
    for (String open : new String[] {"PRAGMA ;", "SELECT 1 FROM ;", "DROP TABLE ; SELECT 1"}) {
      assertThatThrownBy(() -> turn.exec(open, NONE))
          .hasMessageContaining("near \";\": syntax error");
    }
    assertThatThrownBy(() -> turn.exec("/*", NONE)).hasMessageContaining("near \"/\": syntax");
    turn.discard();
  }

  @Test
  void cursorGoesOnAfterARollbackUnlessTablesWereMade() {
    commit(
        store,
        turn -> {
          turn.exec("CREATE TABLE t (v)", NONE);
          turn.exec("INSERT INTO t VALUES (1), (2)", NONE);
        });
    for (boolean hasWritten : new boolean[] {false, true}) {
      StoreTurn turn = store.beginTurn();
      if (hasWritten) {
        turn.exec("INSERT INTO t VALUES (7)", NONE);
      }
      turn.openSavepoint();
      SqlRows rows = turn.exec("SELECT v FROM t ORDER BY rowid LIMIT 3", NONE);
      assertThat(rows.next()).containsExactly(1L);
      turn.exec("INSERT INTO t VALUES (3)", NONE);
      turn.rollbackToSavepoint();
      assertThat(rows.next()).containsExactly(2L);
      if (hasWritten) {
        assertThat(rows.next()).containsExactly(7L);
      }
      assertThat(rows.next()).isNull();
      turn.exec("INSERT INTO t VALUES (4)", NONE);
      turn.openSavepoint();
      SqlRows torn = turn.exec("SELECT v FROM t", NONE);
      torn.next();
      turn.exec("CREATE TABLE u (v)", NONE);
      turn.rollbackToSavepoint();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(torn::next)
            .hasMessageContaining("because the transaction it was open in was rolled back");
      }
      turn.discard();
    }
  }

  /**
   * FTS5 returned rows that were gone, and both reported a damaged file, which resets the object.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT v FROM texts WHERE texts MATCH 'a'",
        "SELECT v FROM texts WHERE texts MATCH 'a' ORDER BY rank",
        "SELECT rowid FROM texts WHERE texts MATCH 'a' ORDER BY rank",
        "SELECT id FROM boxes"
      })
  void cursorInAVirtualTableEndsWithTheRollback(String query) {
    commit(
        store,
        turn -> {
          turn.exec("CREATE TABLE t (v)", NONE);
          turn.exec("CREATE VIRTUAL TABLE texts USING fts5 (v)", NONE);
          turn.exec("CREATE VIRTUAL TABLE boxes USING rtree (id, x, y)", NONE);
        });
    String thousands =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)";
    for (boolean hasWritten : new boolean[] {false, true}) {
      StoreTurn turn = store.beginTurn();
      if (hasWritten) {
        turn.exec("INSERT INTO t VALUES (7)", NONE);
      }
      turn.openSavepoint();
      turn.exec(thousands + " INSERT INTO texts SELECT 'a' FROM n", NONE);
      turn.exec(thousands + " INSERT INTO boxes SELECT NULL, i, i FROM n", NONE);
      SqlRows rows = turn.exec(query, NONE);
      rows.next();
      turn.rollbackToSavepoint();
      assertThatThrownBy(rows::next)
          .hasMessageContaining("because the transaction it was open in was rolled back");
      assertThat(turn.exec(query, NONE).next()).isNull();
      turn.discard();
    }
  }

  @Test
  void foreignKeysAreSwitchedOffBeforeTheFirstWriteOnly() {
    commit(
        store,
        turn -> {
          turn.exec("CREATE TABLE p (id INTEGER PRIMARY KEY)", NONE);
          turn.exec("CREATE TABLE c (p REFERENCES p (id))", NONE);
          turn.exec("PRAGMA foreign_keys = OFF", NONE);
          assertThat(turn.exec("PRAGMA foreign_keys", NONE).next()).containsExactly(1L);
        });
    StoreTurn bound = store.beginTurn();
    assertThatThrownBy(() -> bound.exec("INSERT INTO c VALUES (5)", NONE))
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("FOREIGN KEY constraint failed");
    bound.discard();
    StoreTurn free = store.beginTurn();
    free.exec("PRAGMA foreign_keys = nonsense", NONE);
    assertThat(free.exec("PRAGMA foreign_keys", NONE).next()).containsExactly(0L);
    free.exec("INSERT INTO c VALUES (5)", NONE);
    free.discard();
  }

  /** A text that ran before is kept prepared, but it takes effect when it is compiled. */
  @Test
  void foreignKeysAreSwitchedEachTimeTheTextRuns() {
    for (int round = 0; round < 3; round++) {
      assertThat(foreignKeysAfter("PRAGMA foreign_keys = ON")).isEqualTo(1L);
      assertThat(foreignKeysAfter("PRAGMA foreign_keys = OFF")).isEqualTo(0L);
    }
    assertThat(foreignKeysAfter("PRAGMA foreign_keys = ON")).isEqualTo(1L);
  }

  private Object foreignKeysAfter(String pragma) {
    commit(store, turn -> turn.exec(pragma, NONE));
    StoreTurn turn = store.beginTurn();
    Object is = turn.exec("PRAGMA foreign_keys", NONE).next()[0];
    turn.discard();
    return is;
  }

  @Test
  void pragmaWithoutANameIsIncomplete() {
    StoreTurn turn = store.beginTurn();
    assertThatThrownBy(() -> turn.exec("PRAGMA", NONE))
        .hasMessageContaining("incomplete input: SQLITE_ERROR");
    turn.discard();
  }
}
