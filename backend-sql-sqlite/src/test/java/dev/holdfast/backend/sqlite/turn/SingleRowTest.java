package dev.holdfast.backend.sqlite.turn;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.OpenObject;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A statement that can return only one row is not stepped for a second one. */
final class SingleRowTest extends OpenObject {

  @BeforeEach
  void fill() {
    commit(
        store,
        turn ->
            turn.exec(
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT UNIQUE, v);
                INSERT INTO t VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 20);
                CREATE INDEX by_v ON t (v);
                """,
                NONE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT v FROM t WHERE id = 1                                              | 1",
        "SELECT v FROM t WHERE id = 9                                              | 0",
        "SELECT v FROM t WHERE k = 'b'                                             | 1",
        "SELECT v FROM t WHERE v = 20                                              | 2",
        "SELECT v FROM t WHERE id = 1 OR id = 2                                    | 2",
        "SELECT v FROM t WHERE id IN (1, 3)                                        | 2",
        "SELECT 1                                                                  | 1",
        "SELECT 1 WHERE 0                                                          | 0",
        "SELECT 1 UNION ALL SELECT 2                                               | 2",
        "SELECT v FROM t WHERE id = 1 UNION ALL SELECT v FROM t WHERE id = 2       | 2",
        "SELECT v FROM t WHERE id = 1 UNION SELECT v FROM t WHERE id = 2           | 2",
        "SELECT v FROM t WHERE id = 1 UNION ALL SELECT 5 ORDER BY 1                | 2",
        "VALUES (1), (2), (3)                                                      | 3",
        "SELECT count(*) FROM t                                                    | 1",
        "SELECT count(*) FROM t GROUP BY v                                         | 2",
        "SELECT max(v) FROM t                                                      | 1",
        "SELECT a.v FROM t a JOIN t b ON b.id = a.id + 1 WHERE a.id = 1            | 1",
        "SELECT b.v FROM t a JOIN t b ON b.v = a.v WHERE a.id = 2                  | 2",
        "SELECT (SELECT v FROM t WHERE id = 1) FROM t                              | 3",
        "SELECT row_number() OVER () FROM t WHERE id = 1                           | 1",
        "SELECT row_number() OVER (ORDER BY v) FROM t                              | 3",
        "SELECT v FROM t LIMIT 1                                                   | 1",
        "SELECT * FROM (SELECT v FROM t WHERE id = 1 LIMIT 1)                      | 1",
        "SELECT value FROM json_each('[1, 2]')                                     | 2",
        "SELECT t.v FROM t, json_each('[1, 2]') WHERE t.id = 1                     | 2",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION SELECT i + 1 FROM n LIMIT 4) SELECT i FROM n | 4",
      })
  void allRowsAreReturned(String sql, int rows) {
    StoreTurn turn = store.beginTurn();
    SqlRows cursor = turn.exec(sql, NONE);
    int count = 0;
    while (cursor.next() != null) {
      count++;
    }
    assertThat(count).as(sql).isEqualTo(rows);
    turn.discard();
  }

  @Test
  void cursorOfASingleRowIsOpenUntilItsEndIsAskedFor() {
    StoreTurn turn = store.beginTurn();
    SqlRows row = turn.exec("SELECT v FROM t WHERE id = 1", NONE);
    assertThat(row.next()).containsExactly(10L);
    turn.deleteAll();
    assertThatThrownBy(row::next)
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("the database was deleted");
    turn.discard();
  }

  @Test
  void namesFollowTheSchema() {
    StoreTurn turn = store.beginTurn();
    String sql = "SELECT * FROM t WHERE id = 1";
    assertThat(turn.exec(sql, NONE).columnNames()).containsExactly("id", "k", "v");
    turn.exec("ALTER TABLE t ADD COLUMN w DEFAULT 5", NONE);
    SqlRows wider = turn.exec(sql, NONE);
    assertThat(wider.columnNames()).containsExactly("id", "k", "v", "w");
    assertThat(wider.next()).containsExactly(1L, "a", 10L, 5L);
    turn.exec("ALTER TABLE t RENAME COLUMN w TO x", NONE);
    assertThat(turn.exec(sql, NONE).columnNames()).containsExactly("id", "k", "v", "x");
    turn.discard();
    StoreTurn next = store.beginTurn();
    assertThat(next.exec(sql, NONE).columnNames()).containsExactly("id", "k", "v");
    next.discard();
  }
}
