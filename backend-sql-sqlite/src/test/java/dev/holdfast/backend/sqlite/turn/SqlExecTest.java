package dev.holdfast.backend.sqlite.turn;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.get;
import static dev.holdfast.backend.sqlite.Objects.pairs;
import static dev.holdfast.backend.sqlite.Objects.rows;
import static dev.holdfast.backend.sqlite.Objects.select;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.Objects;
import dev.holdfast.backend.sqlite.OpenObject;
import dev.holdfast.errors.CommitRefusedException;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SqlExecTest extends OpenObject {

  @Test
  void valuesOfEveryTypeComeBackExactly() {
    Object[] values = {1L, Long.MIN_VALUE, 0.1, "te\0xt\uD83D\uDE00", new byte[] {0, -1}, null};
    StoreTurn turn = store.beginTurn();

    SqlRows rows = turn.exec("SELECT ?, ?, ?, ?, ?, ?, x'', ''", values);

    assertThat(rows.next())
        .containsExactly(
            1L,
            Long.MIN_VALUE,
            0.1,
            "te\0xt\uD83D\uDE00",
            new byte[] {0, -1},
            null,
            new byte[0],
            "");
    assertThat(rows.next()).isNull();
    assertThat(rows.next()).isNull();
    turn.discard();
  }

  @Test
  void columnNamesKeepDuplicatesAndOutliveTheRows() {
    StoreTurn turn = store.beginTurn();

    SqlRows rows = turn.exec("SELECT 1 AS a, 2 AS b, 3 AS a", NONE);
    rows.next();
    rows.next();

    assertThat(rows.columnNames()).containsExactly("a", "b", "a");
    assertThat(turn.exec("CREATE TABLE t (v)", NONE).columnNames()).isEmpty();
    turn.discard();
  }

  @Test
  void sqlAndKeyValuesAreOneBatch() {
    long position =
        commit(
            store,
            turn -> {
              turn.put(bytes("k"), bytes("v"));
              turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (?)", new Object[] {7L});
            });

    assertThat(host.journal.records()).hasSize(1);
    host.crashAt(position);
    store = host.store(1);
    assertThat(select(store, "SELECT v FROM t")).containsExactly("7");
    assertThat(get(store, "k")).isEqualTo(bytes("v"));
  }

  @Test
  void failedScriptHasNoEffectAtAll() {
    commit(store, turn -> turn.exec("CREATE TABLE t (v UNIQUE); INSERT INTO t VALUES (1)", NONE));

    commit(
        store,
        turn -> {
          fails(turn, "INSERT INTO t VALUES (2); INSERT INTO t VALUES (1)")
              .hasMessageStartingWith(
                  "UNIQUE constraint failed: t.v: SQLITE_CONSTRAINT"
                      + " (extended: SQLITE_CONSTRAINT_UNIQUE)");
          turn.exec("INSERT INTO t VALUES (3)", NONE);
          fails(turn, "INSERT INTO t VALUES (4); SELEC").hasMessageContaining("syntax error");
          fails(turn, "UPDATE t SET v = 9 WHERE v = 3; INSERT INTO t VALUES (9)");
        });

    assertThat(select(store, "SELECT v FROM t ORDER BY v")).containsExactly("1", "3");
  }

  @Test
  void turnWhoseOnlyScriptFailedWritesNothing() {
    StoreTurn turn = store.beginTurn();
    fails(turn, "CREATE TABLE t (v); INSERT INTO missing VALUES (1)")
        .hasMessageStartingWith("no such table: missing: SQLITE_ERROR");

    assertThat(turn.seal()).isEqualTo(Journal.START);
    assertThat(contents(store)).isEmpty();
  }

  @Test
  void onlyTheLastStatementHasParametersAndTheirNumberMustFit() {
    StoreTurn turn = store.beginTurn();

    fails(turn, "SELECT ?; SELECT 1")
        .hasMessageStartingWith(
            "When executing multiple SQL statements in a single call, only the last statement can"
                + " have parameters.");
    fails(turn, "SELECT ?")
        .hasMessageStartingWith("Wrong number of parameter bindings for SQL query.");
    fails(turn, "SELECT 1", 1L)
        .hasMessageStartingWith("Wrong number of parameter bindings for SQL query.");
    fails(turn, "SELECT ?3", 1L, 2L).hasMessageStartingWith("Wrong number");
    assertThat(rows(turn, "SELECT 1; SELECT ?2, ?1, ?", 1L, 2L, 3L)).containsExactly("2|1|3");
    turn.discard();
  }

  @Test
  void parametersOfATextThatEndsWithACommentAreExplained() {
    StoreTurn turn = store.beginTurn();
    fails(turn, "SELECT ?; -- end", 1L)
        .hasMessageContaining("A comment after the last semicolon counts as the last statement");
    turn.discard();
  }

  @Test
  void textWithoutAStatementIsRefused() {
    StoreTurn turn = store.beginTurn();
    for (String empty :
        List.of(
            "", " ", ";", "-- comment", "/* comment */ ; ;", "SELECT 1; -- done", "SELECT 1;;")) {
      fails(turn, empty).hasMessageStartingWith("SQL code did not contain a statement.");
    }
    assertThat(rows(turn, ";; -- head\n SELECT 1 /* done */; \n")).containsExactly("1");
    turn.discard();
  }

  @Test
  void triggersAndQuotedSemicolonsAreNotCutApart() {
    commit(
        store,
        turn ->
            turn.exec(
                """
                CREATE TABLE "a;b" (v); CREATE TABLE log (v);
                CREATE TRIGGER IF NOT EXISTS tr AFTER INSERT ON "a;b" BEGIN
                  INSERT INTO log VALUES (CASE new.v WHEN 1 THEN 'one; END;' ELSE 'more' END);
                  INSERT INTO log VALUES ('second'); -- END;
                END; /* ; */ INSERT INTO [a;b] VALUES (1); INSERT INTO `a;b` VALUES (2)
                """,
                NONE));

    assertThat(select(store, "SELECT v FROM log"))
        .containsExactly("one; END;", "second", "more", "second");
  }

  @Test
  void returningRowsDoNotStopTheCommit() {
    StoreTurn turn = store.beginTurn();
    turn.exec("CREATE TABLE t (v)", NONE);
    SqlRows rows = turn.exec("INSERT INTO t VALUES (1), (2), (3) RETURNING v * 10 AS w", NONE);

    assertThat(rows.columnNames()).containsExactly("w");
    assertThat(rows.next()).containsExactly(10L);
    assertThat(turn.seal()).isPositive();
    assertThat(select(store, "SELECT count(*) FROM t")).containsExactly("3");
  }

  @Test
  void cursorsOfOneTextAreIndependent() {
    commit(store, turn -> turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2)", NONE));
    StoreTurn turn = store.beginTurn();

    SqlRows first = turn.exec("SELECT v FROM t", NONE);
    SqlRows second = turn.exec("SELECT v FROM t", NONE);

    assertThat(first.next()).containsExactly(1L);
    assertThat(second.next()).containsExactly(1L);
    assertThat(first.next()).containsExactly(2L);
    first.close();
    assertThat(second.next()).containsExactly(2L);
    assertThat(second.next()).isNull();
    turn.discard();
  }

  @Test
  void cursorEndsWithItsTurn() {
    commit(store, turn -> turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2)", NONE));
    StoreTurn turn = store.beginTurn();
    SqlRows rows = turn.exec("SELECT v FROM t", NONE);
    rows.next();
    turn.seal();

    assertThatExceptionOfType(SqlException.class)
        .isThrownBy(rows::next)
        .withMessageStartingWith("The cursor has ended with its turn");
    rows.close();
    assertThatIllegalStateException().isThrownBy(() -> turn.exec("SELECT 1", NONE));
  }

  @Test
  void deleteAllEndsCursorsAndDropsEverything() {
    commit(
        store,
        turn -> {
          turn.put(bytes("k"), bytes("v"));
          turn.exec(
              """
              CREATE TABLE parent (id INTEGER PRIMARY KEY);
              CREATE TABLE child (p REFERENCES parent(id), q);
              CREATE INDEX i ON child (p);
              CREATE VIEW w AS SELECT * FROM child;
              CREATE TRIGGER tr AFTER DELETE ON child BEGIN SELECT RAISE(ABORT, 'no'); END;
              CREATE VIRTUAL TABLE words USING fts5(text);
              INSERT INTO parent VALUES (1), (2);
              INSERT INTO child VALUES (1, NULL), (2, NULL);
              INSERT INTO words VALUES ('some words');
              CREATE TABLE "odd ""name" (v, FOREIGN KEY (v) REFERENCES child(p));
              CREATE TABLE selfish (v REFERENCES selfish(v), w REFERENCES missing(x))
              """,
              NONE);
        });
    StoreTurn turn = store.beginTurn();
    turn.exec("INSERT INTO words VALUES ('more')", NONE);
    SqlRows rows = turn.exec("SELECT * FROM child", NONE);

    turn.deleteAll();

    assertThatExceptionOfType(SqlException.class)
        .isThrownBy(rows::next)
        .withMessageStartingWith("SQLite query was canceled because the database was deleted.");
    assertThat(contents(turn)).isEmpty();
    turn.exec("CREATE TABLE parent (v); INSERT INTO parent VALUES (?)", new Object[] {"new"});
    turn.put(bytes("k2"), bytes("v2"));
    long position = turn.seal();
    host.crashAt(position);
    store = host.store(1);
    assertThat(select(store, "SELECT v FROM parent")).containsExactly("new");
    assertThat(pairs(store)).hasSize(1);
  }

  @Test
  void deleteAllThatIsDiscardedLeavesEverything() {
    commit(store, turn -> turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1)", NONE));
    List<String> before = contents(store);

    StoreTurn turn = store.beginTurn();
    turn.deleteAll();
    turn.discard();

    assertThat(contents(store)).isEqualTo(before);
  }

  @Test
  void foreignKeysHoldAfterDeleteAll() {
    StoreTurn turn = store.beginTurn();
    turn.exec("CREATE TABLE t (v)", NONE);
    turn.deleteAll();
    turn.exec("CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p(id))", NONE);

    fails(turn, "INSERT INTO c VALUES (5)").hasMessageContaining("FOREIGN KEY constraint failed");
    turn.discard();
  }

  @Test
  void deferredConstraintBrokenAtTheEndFailsTheSeal() {
    commit(
        store,
        turn ->
            turn.exec(
                """
                CREATE TABLE p (id INTEGER PRIMARY KEY);
                CREATE TABLE c (p REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)
                """,
                NONE));
    StoreTurn turn = store.beginTurn();
    turn.exec("INSERT INTO c VALUES (5)", NONE);

    assertThatExceptionOfType(CommitRefusedException.class)
        .isThrownBy(turn::seal)
        .withMessageStartingWith(
            "Durable Object was reset and rolled back to its last known good state because the"
                + " application left the database in a state where constraints were violated:"
                + " FOREIGN KEY constraint failed: SQLITE_CONSTRAINT"
                + " (extended: SQLITE_CONSTRAINT_FOREIGNKEY)");
    turn.discard();
    assertThat(select(store, "SELECT * FROM c")).isEmpty();
    assertThat(commit(store, again -> again.put(bytes("a"), bytes("1")))).isPositive();
  }

  @Test
  void databaseSizeCountsUsedPages() {
    StoreTurn turn = store.beginTurn();
    assertThat(turn.databaseSize()).isEqualTo(4_096);
    turn.put(bytes("a"), new byte[20_000]);
    long grown = turn.databaseSize();
    assertThat(grown).isGreaterThanOrEqualTo(28_000);
    turn.delete(bytes("a"));
    assertThat(turn.databaseSize()).isEqualTo(8_192);
    turn.discard();
  }

  @Test
  void updateThatChangesNothingSealsNothing() {
    commit(store, turn -> turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1)", NONE));

    assertThat(commit(store, turn -> turn.exec("UPDATE t SET v = 2 WHERE v = 3", NONE)))
        .isEqualTo(Journal.START);
    assertThat(commit(store, turn -> turn.exec("SELECT * FROM t", NONE))).isEqualTo(Journal.START);
  }

  @Test
  void schemaChangeIsSeenByCachedStatements() {
    commit(store, turn -> turn.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)", NONE));
    assertThat(select(store, "SELECT * FROM t")).containsExactly("1");

    commit(store, turn -> turn.exec("ALTER TABLE t ADD COLUMN b DEFAULT 2", NONE));

    StoreTurn turn = store.beginTurn();
    SqlRows rows = turn.exec("SELECT * FROM t", NONE);
    assertThat(rows.columnNames()).containsExactly("a", "b");
    assertThat(rows.next()).containsExactly(1L, 2L);
    turn.discard();
  }

  @Test
  void errorsCarryTheWordsAndCodesOfTheReference() {
    StoreTurn turn = store.beginTurn();
    fails(turn, "SELECT json('{')").hasMessageStartingWith("malformed JSON: SQLITE_ERROR");
    fails(turn, "SELECT zeroblob(9000000)")
        .hasMessageStartingWith("string or blob too big: SQLITE_TOOBIG");
    assertThatExceptionOfType(SqlException.class)
        .isThrownBy(() -> turn.exec("SELECT * FROM nope", NONE))
        .satisfies(
            e -> {
              assertThat(e.resultCode()).isEqualTo(1);
              assertThat(e.namespace()).isEqualTo("tests");
              assertThat(e.getMessage()).contains(Objects.object(1).id().toString());
            });
    turn.discard();
  }

  /** The runtime creates its hidden tables when it first needs them, between statements. */
  @Test
  void tableCanBeMadeAfterAHiddenOneWasMade() {
    String create = "CREATE TABLE t (a)";
    ObjectStore other = host.store(2);
    commit(other, turn -> turn.exec(create, NONE));
    commit(store, turn -> turn.exec("SELECT 1", NONE));
    commit(store, turn -> turn.put(bytes("key"), bytes("value")));

    commit(store, turn -> turn.exec(create, NONE));

    assertThat(get(store, "key")).isEqualTo(bytes("value"));
    assertThat(select(store, "SELECT count(*) FROM t")).containsExactly("0");
  }

  @Test
  void tableThatIsThereMayBeAskedForAgain() {
    commit(store, turn -> turn.exec("CREATE TABLE IF NOT EXISTS t (v)", NONE));
    StoreTurn turn = store.beginTurn();

    assertThat(rows(turn, "CREATE TABLE IF NOT EXISTS t (v)")).isEmpty();
    turn.discard();
  }

  @Test
  void errorBetweenRowsEndsTheCursorOnly() {
    commit(
        store,
        turn -> turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES ('1'), ('{'), ('3')", NONE));
    StoreTurn turn = store.beginTurn();
    SqlRows rows = turn.exec("SELECT json(v) FROM t", NONE);

    assertThat(rows.next()).containsExactly("1");
    assertThatExceptionOfType(SqlException.class).isThrownBy(rows::next);
    assertThat(rows.next()).isNull();
    assertThat(rows(turn, "SELECT 1")).containsExactly("1");
    turn.discard();
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> fails(
      StoreTurn turn, String sql, @Nullable Object... bindings) {
    return assertThatThrownBy(() -> turn.exec(sql, bindings)).isInstanceOf(SqlException.class);
  }

  @Test
  void orderOfRowsWithoutAnOrderChangesNoHiddenTable() {
    StoreTurn turn = store.beginTurn();
    turn.put(new byte[] {1}, new byte[] {1});
    turn.setAlarms(List.of(AlarmRecord.once(AlarmRecord.OWN, 1_800_000_000_000L)));
    turn.seal(null);
    turn = store.beginTurn();
    rows(turn, "CREATE TABLE a (v)");
    rows(turn, "PRAGMA reverse_unordered_selects = ON");
    rows(turn, "CREATE TABLE b (v)");
    assertThat(rows(turn, "SELECT count(*) FROM b")).containsExactly("0");
    turn.discard();
  }

  @Test
  void newStatisticsLeadToAnotherPlan() {
    StoreTurn turn = store.beginTurn();
    rows(turn, "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)");
    rows(turn, "CREATE INDEX ta ON t (a)");
    rows(turn, "CREATE INDEX tb ON t (b)");
    rows(
        turn,
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
            + " INSERT INTO t SELECT i, 1, i FROM n");
    rows(turn, "ANALYZE");
    String query = "SELECT id FROM t WHERE a = 1 ORDER BY b"; // a scan of tb
    assertThat(rows(turn, query)).hasSize(1_000);

    rows(turn, "UPDATE t SET a = id");
    rows(turn, "ANALYZE");
    SqlRows found = turn.exec(query, NONE); // a search in ta, and a sort
    assertThat(found.next()).containsExactly(1L);
    assertThat(found.next()).isNull();
    assertThat(found.rowsRead()).isLessThan(10);
    turn.discard();
  }

  @Test
  void rowsOfAPatternAreCountedByThePlanForIt() {
    StoreTurn turn = store.beginTurn();
    rows(turn, "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT COLLATE NOCASE)");
    rows(turn, "CREATE INDEX tv ON t (v)");
    rows(turn, "INSERT INTO t (v) VALUES ('a'), ('b'), ('ba'), ('c'), ('d'), ('e')");
    String query = "SELECT v FROM t WHERE v LIKE ?";

    for (String pattern : List.of("b%", "%a", "b%")) {
      SqlRows found = turn.exec(query, new Object[] {pattern});
      while (found.next() != null) {
        // counted
      }
      boolean isRange = pattern.equals("b%");
      assertThat(found.rowsRead()).as(pattern).isEqualTo(isRange ? 3 : 6);
    }
    turn.discard();
  }
}
