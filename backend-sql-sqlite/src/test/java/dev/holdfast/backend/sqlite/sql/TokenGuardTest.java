package dev.holdfast.backend.sqlite.sql;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.contents;
import static dev.holdfast.backend.sqlite.Objects.pairs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.OpenObject;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TokenGuardTest extends OpenObject {

  @BeforeEach
  void fill() {
    commit(
        store,
        turn -> {
          turn.put(bytes("secret"), bytes("value"));
          turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1)", NONE);
        });
  }

  @Test
  void hiddenTableIsOutOfReachUnderAnySpelling() {
    refusesAll(
        "SELECT * FROM _cf_KV",
        "SELECT * FROM _CF_kv",
        "SELECT * FROM \"_cf_KV\"",
        "SELECT * FROM `_cf_KV`",
        "SELECT * FROM [_cf_KV]",
        "SELECT * FROM '_cf_KV'",
        "SELECT * FROM main._cf_KV",
        "SELECT * FROM main . /* ; */ \"_cf_KV\"",
        "SELECT * FROM\uFEFF_cf_KV",
        "SELECT 1; DELETE FROM _cf_KV",
        "EXPLAIN SELECT * FROM _cf_KV",
        "WITH x AS (SELECT * FROM _cf_KV) SELECT * FROM x",
        "DROP TABLE _cf_KV",
        "ALTER TABLE t RENAME TO _cf_mine",
        "ALTER TABLE _cf_KV RENAME TO mine",
        "CREATE TABLE _cf_other (v)",
        "CREATE VIEW w AS SELECT * FROM _cf_KV",
        "CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM _cf_KV; END",
        "CREATE INDEX i ON _cf_KV (value)",
        "CREATE VIRTUAL TABLE f USING fts5(value, content='_cf_KV')",
        "CREATE VIRTUAL TABLE f USING fts5(value, content = \"_cf_KV\")",
        "CREATE VIRTUAL TABLE f USING fts5(value, content=_cf_KV)",
        "CREATE VIRTUAL TABLE f USING fts5vocab('_cf_KV', 'row')",
        "SELECT * FROM pragma_table_info('_cf_KV')",
        "PRAGMA table_info(_cf_KV)",
        "REINDEX _cf_KV",
        "REINDEX sqlite_autoindex__cf_KV_1",
        "REINDEX main._cf_KV",
        "ANALYZE _cf_KV",
        "INSERT INTO t SELECT value FROM _cf_KV");
  }

  @Test
  void transactionBelongsToTheTurn() {
    refusesAll(
        "BEGIN",
        "begin immediate",
        "COMMIT",
        "END",
        "ROLLBACK",
        "SAVEPOINT a",
        "RELEASE a",
        "EXPLAIN COMMIT",
        "SELECT 1; /* */ COMMIT; SELECT 2",
        "INSERT OR ROLLBACK INTO t VALUES (1)",
        "CREATE TABLE u (v UNIQUE ON CONFLICT ROLLBACK)",
        "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT RAISE ( ROLLBACK, 'x'); END");
  }

  @Test
  void otherFilesAreOutOfReach() {
    refusesAll(
        "ATTACH 'x.db' AS x",
        "DETACH main",
        "VACUUM",
        "VACUUM INTO 'copy.db'",
        "SELECT load_extension('x')",
        "SELECT \"load_extension\"('x')",
        "CREATE TEMP TABLE x (v)",
        "CREATE TEMPORARY VIEW x AS SELECT 1",
        "CREATE TABLE temp.x (v)",
        "CREATE VIRTUAL TABLE x USING fts3(v)",
        "CREATE VIRTUAL TABLE x USING dbstat");
  }

  @Test
  void pragmasOutsideOfTheListAreRefused() {
    refusesAll(
        "PRAGMA journal_mode=DELETE",
        "PRAGMA main.journal_mode",
        "PRAGMA \"journal_mode\"=DELETE",
        "PRAGMA wal_checkpoint",
        "PRAGMA synchronous=FULL",
        "PRAGMA writable_schema=ON",
        "PRAGMA user_version=3",
        "PRAGMA page_size=512",
        "PRAGMA foreign_keys=maybe",
        "PRAGMA foreign_keys=-1",
        "PRAGMA table_info",
        "PRAGMA optimize=1.5",
        "PRAGMA optimize('x')",
        "PRAGMA data_version=5",
        "PRAGMA locking_mode=NORMAL",
        "SELECT * FROM pragma_journal_mode",
        "SELECT * FROM pragma_optimize",
        "SELECT * FROM \"PRAGMA_Optimize\"(1)",
        "SELECT * FROM \"pragma_page_count\"()",
        "PRAGMA",
        "EXPLAIN PRAGMA user_version");
  }

  @ParameterizedTest
  @CsvSource({
    "PRAGMA data_version(), near \")\": syntax error",
    "PRAGMA table_info(, incomplete input",
    "PRAGMA table_info(t, incomplete input",
    "PRAGMA table_info(-t), near \"t\": syntax error",
  })
  void formOfAPragmaIsCheckedInTheOrderOfItsWords(String sql, String message) {
    StoreTurn turn = store.beginTurn();

    assertThatThrownBy(() -> turn.exec(sql, NONE))
        .isInstanceOf(SqlException.class)
        .hasMessageStartingWith(message);
    turn.discard();
  }

  @Test
  void usefulStatementsAreAllowed() {
    StoreTurn turn = store.beginTurn();
    for (String sql :
        List.of(
            "PRAGMA table_info(t)",
            "PRAGMA Foreign_Keys",
            "PRAGMA defer_foreign_keys = 'yes'",
            "PRAGMA optimize(-1)",
            "PRAGMA optimize=0x10002",
            "PRAGMA defer_foreign_keys=ON",
            "PRAGMA quick_check",
            "PRAGMA optimize",
            "SELECT * FROM pragma_table_info('t')",
            "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c"
                + " WHERE m.name NOT LIKE '_cf_%'",
            "CREATE TABLE \"odd \"\"name\" (a, b AS (a + 1))",
            "EXPLAIN QUERY PLAN SELECT * FROM t",
            "SELECT 'x' || \"v\" FROM t -- _cf_KV",
            "SELECT 'a _cf_KV b' /* _cf_KV */",
            "CREATE VIRTUAL TABLE f USING fts5(v, content='t')",
            "CREATE VIRTUAL TABLE r USING rtree(id, a, b)",
            "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3)"
                + " INSERT INTO t SELECT i FROM n RETURNING v",
            "REPLACE INTO t VALUES (1)",
            "ANALYZE",
            "\uFEFFSELECT 1",
            "INSERT INTO t VALUES ('dbstat'), ('pragma_optimize'), ('_cf_KV'), ('x.rank')",
            "CREATE TABLE mode (key VARCHAR(10), offset DECIMAL(5, 2) DEFAULT 1, rank,"
                + " a CHECK (length(a) > 1), b AS (upper(key)))",
            "INSERT INTO mode (key, rank) VALUES ('a', 1)",
            "WITH square (x) AS (SELECT 1), power(y) AS (SELECT 2) SELECT * FROM square, power",
            "SELECT if(1, 2, 3), CAST(1 AS VARCHAR(10)), iif(1, 2, 3), $a::b FROM t WHERE 0",
            "CREATE VIEW w (a) AS WITH c (x) AS (SELECT max(v) OVER (ORDER BY v) FROM t)"
                + " SELECT x FROM c, json_each('[1]') WHERE v IN (SELECT abs(1))",
            "CREATE INDEX i ON t (lower(v)) WHERE v IS NOT NULL",
            "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO mode (key) VALUES"
                + " (replace(new.v, 'a', 'b')); END",
            "INSERT INTO f(f, rank) VALUES ('rank', 'bm25(1.0)')",
            "INSERT INTO f(f, rank) VALUES ('merge', 500)",
            "INSERT INTO f(f) VALUES ('rebuild')",
            "SELECT * FROM f('1') WHERE rank MATCH 'bm25(2.5)' ORDER BY rank",
            "SELECT * FROM f('1', 'bm25()')",
            "PRAGMA main.table_info('t')",
            "PRAGMA foreign_keys == 1",
            "VALUES (1), (2)")) {
      Object[] bindings = sql.contains("$a") ? new Object[] {1L} : NONE;
      turn.exec(sql, bindings).close();
    }
    turn.discard();
  }

  /** Indexes are rebuilt from the rows of their tables, including those of a full text table. */
  @Test
  void reindexIsAllowedBesideVirtualTables() {
    List<String> before = pairs(store);
    commit(
        store,
        turn -> {
          turn.exec("CREATE INDEX i ON t (v)", NONE).close();
          turn.exec("REINDEX", NONE).close();
          turn.exec("CREATE VIRTUAL TABLE f USING fts5(v)", NONE).close();
          turn.exec("CREATE VIRTUAL TABLE r USING rtree(id, a, b)", NONE).close();
          turn.exec("INSERT INTO f VALUES ('first'), ('second')", NONE).close();
          for (String each :
              List.of("REINDEX", "REINDEX nocase", "REINDEX t", "REINDEX main.i", "REINDEX f")) {
            turn.exec(each, NONE).close();
          }
        });
    StoreTurn turn = store.beginTurn();
    SqlRows found = turn.exec("SELECT v FROM f('second')", NONE);
    assertThat(found.next()).containsExactly("second");
    turn.discard();
    assertThat(pairs(store)).isEqualTo(before);
    host.crashAt(host.journal.lastPosition());
    assertThat(pairs(host.store(1))).isEqualTo(before);
  }

  /** With the square of their length in time, none of them would end within the time of a test. */
  @Test
  void longTextsAreReadOnce() {
    for (String part : List.of("a(", "\"a\"(", "INTO a(", "INTO ", "f(SELECT ")) {
      String sql = "SELECT " + part.repeat(400_000 / part.length());
      assertThat(SqlScript.of(sql).statements()).as(part).hasSize(1);
    }
  }

  @Test
  void reservedNameOfAVirtualTableIsNamedInTheError() {
    StoreTurn turn = store.beginTurn();
    for (String sql :
        List.of(
            "CREATE VIRTUAL TABLE _cf_x USING fts5(v)",
            "CREATE VIRTUAL TABLE IF NOT EXISTS main.\"_cf_x\" USING rtree(id, a, b)",
            "CREATE VIRTUAL TABLE _cf_x USING unknown(v)",
            "CREATE TABLE _cf_x (v)")) {
      assertThatThrownBy(() -> turn.exec(sql, NONE))
          .as(sql)
          .isInstanceOf(SqlException.class)
          .hasMessageContaining("access to _cf_x is prohibited: SQLITE_AUTH");
    }
    assertThatThrownBy(() -> turn.exec("CREATE VIRTUAL TABLE my_cf_x USING fts5(v)", NONE))
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("may not have \"_cf_\" anywhere");
    turn.discard();
  }

  private void refusesAll(String... statements) {
    List<String> before = contents(store);
    StoreTurn turn = store.beginTurn();
    for (String sql : statements) {
      assertThatThrownBy(() -> turn.exec(sql, NONE)).as(sql).isInstanceOf(SqlException.class);
    }
    assertThat(turn.seal()).isZero();
    assertThat(contents(store)).isEqualTo(before);
    assertThat(pairs(store)).hasSize(1);
  }
}
