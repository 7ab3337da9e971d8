package dev.holdfast.backend.sqlite.sql;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.backend.sqlite.OpenObject;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.turn.SqliteTurn;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** SQLite compiles a statement for the values of its parameters; so the plan is one of them. */
final class PlanValuesTest extends OpenObject {

  /** Where only the number of instructions bounds the rows, they are known to this. */
  private static final long ROWS_BETWEEN_PROGRESS_CALLS = 64;

  private static final String FILL =
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, s TEXT, n);
      CREATE INDEX ta ON t (a);
      CREATE INDEX tb ON t (b);
      WITH RECURSIVE i(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM i WHERE x < 500)
      INSERT INTO t SELECT x, x / 400, x, iif(x % 10 = 0, 'open', 'shut'), x % 7 FROM i;
      """;

  @BeforeEach
  void fill() {
    commit(store, turn -> turn.exec(FILL, NONE));
  }

  /** What a statement has returned and read. */
  private record Seen(List<List<@Nullable Object>> rows, long rowsRead) {}

  private static Seen seen(StoreTurn turn, String sql, @Nullable Object... bindings) {
    SqlRows rows = turn.exec(sql, bindings);
    List<List<@Nullable Object>> all = new ArrayList<>();
    for (@Nullable Object[] row = rows.next(); row != null; row = rows.next()) {
      all.add(Arrays.asList(row));
    }
    return new Seen(all, rows.rowsRead());
  }

  /** Runs a statement with each of some values, and compares it with one that has run no other. */
  private void isAsIfFirst(String sql, Object... values) {
    StoreTurn turn = store.beginTurn();
    for (int at = 0; at < values.length; at++) {
      Seen first = seen(turn, sql + " -- text " + at, values[at]);
      Seen again = seen(turn, sql, values[at]);
      assertThat(again.rows()).as("%s with %s", sql, values[at]).isEqualTo(first.rows());
      assertThat(again.rowsRead())
          .as("rows read by %s with %s", sql, values[at])
          .isCloseTo(first.rowsRead(), within(ROWS_BETWEEN_PROGRESS_CALLS));
    }
    turn.discard();
  }

  @Test
  void limitIsTheOneOfTheExecution() {
    for (String sql :
        List.of(
            "SELECT id FROM t LIMIT ?",
            "SELECT id FROM t LIMIT :x",
            "SELECT id FROM t LIMIT ?0000000001",
            "SELECT id FROM t LIMIT +?1 OFFSET 3",
            "SELECT id FROM t LIMIT (SELECT 0 LIMIT 1), ?1",
            "SELECT id FROM t WHERE a >= 0 ORDER BY n LIMIT ?",
            "SELECT id FROM t WHERE n = 3 ORDER BY b LIMIT ?",
            "SELECT id FROM t WHERE n = 3 LIMIT ?",
            "SELECT count(*) FROM (SELECT id FROM t ORDER BY n LIMIT ?)",
            "SELECT a, count(*) FROM t GROUP BY a LIMIT ?")) {
      isAsIfFirst(sql, 400L, 2L, 0L, 1000L, 7L, -1L, 2L);
    }
  }

  @Test
  void offsetIsTheOneOfTheExecution() {
    isAsIfFirst("SELECT id FROM t LIMIT 10 OFFSET ?", 0L, 5L, 499L, 700L, -1L, 0L);
    isAsIfFirst("SELECT id FROM t ORDER BY n LIMIT ?, 10", 0L, 5L, 499L, 700L, -1L);
  }

  @Test
  void partialIndexServesForTheValuesOfItsCondition() {
    commit(
        store,
        turn ->
            turn.exec(
                "CREATE INDEX tp ON t (n) WHERE s = 'open';"
                    + " CREATE INDEX tq ON t (n) WHERE a = +1 AND s IS NOT NULL",
                NONE));
    for (String sql :
        List.of(
            "SELECT id FROM t WHERE s = ? AND n = 3",
            "SELECT count(*) FROM t WHERE s = ? AND n = 3",
            "SELECT id FROM t WHERE n = 3 AND s = ?1 LIMIT 4")) {
      isAsIfFirst(sql, "open", "shut", "open", "none");
    }
    isAsIfFirst("SELECT id FROM t WHERE a = ? AND s > '' AND n = 3", 1L, 0L, 2L, 1L);
  }

  @Test
  void entriesOfAPartialIndexAreFewerThanTheRowsOfItsTable() {
    commit(
        store,
        turn ->
            turn.exec(
                """
                CREATE INDEX tp ON t (n) WHERE s = 'open';
                INSERT INTO t SELECT NULL, x.a, x.b, x.s, x.n FROM t AS x, t AS y WHERE y.id < 20;
                """,
                NONE));
    StoreTurn turn = store.beginTurn();
    for (String sql :
        List.of(
            "SELECT count(*) FROM t WHERE s = 'open'",
            "SELECT sum(n) FROM t INDEXED BY tp WHERE s = 'open'")) {
      assertThat(seen(turn, sql).rowsRead()).as(sql).isBetween(250L, 4_000L);
    }
    assertThat(seen(turn, "SELECT id FROM t INDEXED BY tp WHERE s = 'open'").rowsRead())
        .isEqualTo(1_000);
    turn.discard();
  }

  @Test
  void indexIsTheSameForEachValueAfterStatisticsWereCollected() {
    commit(store, turn -> turn.exec("ANALYZE", NONE));
    StoreTurn turn = store.beginTurn();
    assertThat(seen(turn, "SELECT 1 FROM sqlite_stat1").rows()).isNotEmpty();
    assertThat(seen(turn, "SELECT 1 FROM sqlite_stat4").rows()).isEmpty();
    turn.discard();
    isAsIfFirst("SELECT id FROM t WHERE a = ? AND b > 1", 0L, 1L, 5L, 0L);
  }

  /** A file of an earlier version may have some. */
  @Test
  void samplesAreUsedForTheValueOfTheExecution() throws SqliteException {
    StoreTurn turn = store.beginTurn();
    ((SqliteTurn) turn).database().connection().connection().execute("PRAGMA analysis_limit=0");
    turn.exec("ANALYZE", NONE);
    assertThat(seen(turn, "SELECT 1 FROM sqlite_stat4").rows()).isNotEmpty();
    turn.seal(null);
    isAsIfFirst("SELECT id FROM t WHERE a = ? AND b > 1", 0L, 1L, 5L, 0L);
    isAsIfFirst("SELECT id FROM t WHERE a > ? AND b > 450", -1L, 0L, 5L, -1L);
  }
}
