package dev.holdfast.backend.sqlite.meter;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backend.sqlite.OpenObject;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Statements where data decides, row by row, how much is read: the reported number is close to the
 * reference's, which was recorded for the same tables.
 */
final class MeteringBoundsTest extends OpenObject {

  @BeforeEach
  void fill() {
    commit(
        store,
        turn ->
            turn.exec(
                MeteredTables.SQL
                    + """
                    CREATE TABLE two (a, b, c); CREATE INDEX two_ab ON two (a, b);
                    CREATE TABLE parent (id INTEGER PRIMARY KEY, v);
                    CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent (id) ON DELETE CASCADE);
                    CREATE INDEX child_p ON child (p);
                    CREATE TABLE big (id INTEGER PRIMARY KEY, a, b); CREATE INDEX big_a ON big (a);
                    INSERT INTO keyed VALUES ('a',1),('b',2),('c',3);
                    INSERT INTO whole VALUES ('a',1),('b',2),('c',3);
                    INSERT INTO two SELECT value%3, value%5, value FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12]');
                    INSERT INTO logged VALUES (1, 1), (2, 2), (3, 3);
                    INSERT INTO parent VALUES (1,1),(2,2),(3,3);
                    INSERT INTO child VALUES (1,1),(2,1),(3,2);
                    INSERT INTO big WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i+1 FROM n WHERE i < 10000)
                      SELECT i, i % 100, i FROM n;
                    """,
                NONE));
  }

  /** A factor of four, and what runs between two progress calls. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "SELECT * FROM plain WHERE v > 2 LIMIT 1 | 3 | 0",
        "SELECT * FROM big WHERE b > 5000 LIMIT 1 | 5001 | 0",
        "SELECT * FROM big WHERE b % 10 = 0 LIMIT 50 | 500 | 0",
        "SELECT * FROM big WHERE b > 5000 LIMIT 2 OFFSET 30 | 5032 | 0",
        "SELECT * FROM big WHERE a = 5 AND b > 5000 LIMIT 1 | 51 | 0",
        "SELECT id FROM big WHERE b LIKE '%999%' LIMIT 3 | 2999 | 0",
        "SELECT a FROM indexed WHERE a = 40 | 1 | 0",
        "SELECT count(*) FROM big WHERE a > 50 | 4900 | 0",
        "SELECT count(*) FROM big WHERE a BETWEEN 10 AND 20 | 1101 | 0",
        "SELECT count(*) FROM big WHERE id BETWEEN 1000 AND 2000 | 1002 | 0",
        "SELECT sum(b) FROM big WHERE a > 50 | 4900 | 0",
        "SELECT max(b) FROM big WHERE a = 50 | 101 | 0",
        "SELECT min(id) FROM big WHERE a > 50 | 51 | 0",
        "SELECT avg(b) FROM big WHERE a IN (5, 6, 7) | 306 | 0",
        "SELECT count(*) FROM big WHERE b > 500 AND a > 50 AND id > 300 | 9700 | 0",
        "SELECT a, count(*) FROM big WHERE a > 50 GROUP BY a | 4900 | 0",
        "SELECT a, count(*) FROM big GROUP BY a LIMIT 3 | 301 | 0",
        "SELECT a, sum(b) FROM big WHERE a > 20 GROUP BY a HAVING sum(b) > 502000 LIMIT 3 | 5301 |"
            + " 0",
        "SELECT * FROM big WHERE id > 5000 AND b % 2 = 0 | 5000 | 0",
        "SELECT * FROM big WHERE a > 50 AND b % 2 = 0 | 4900 | 0",
        "SELECT * FROM big WHERE a > 50 ORDER BY b LIMIT 5 | 9800 | 0",
        "SELECT v FROM plain INTERSECT SELECT v FROM pk | 13 | 0",
        "SELECT id FROM big WHERE b > 5000 UNION ALL SELECT id FROM big WHERE b < 3"
            + " LIMIT 5001 | 10001 | 0",
        "SELECT count(*) FROM plain p JOIN big g ON g.a = p.v | 408 | 0",
        "SELECT p.v, (SELECT count(*) FROM big WHERE a = p.v) FROM plain p | 408 | 0",
        "SELECT x.id FROM big x WHERE EXISTS (SELECT 1 FROM big y WHERE y.a = x.a"
            + " AND y.b > 990) | 119000 | 0",
        "SELECT EXISTS (SELECT 1 FROM big WHERE b = 5000) | 5000 | 0",
        "SELECT (SELECT b FROM big WHERE b = 7000) | 7000 | 0",
        "SELECT * FROM plain p LEFT JOIN indexed i ON i.a = p.v * 20 | 7 | 0",
        "SELECT * FROM (SELECT * FROM big LIMIT 1000) WHERE b > 5 | 1000 | 0",
        "SELECT count(*) FROM (SELECT * FROM big WHERE b > 5 LIMIT 1000) x JOIN pk"
            + " ON pk.id = x.id | 2005 | 0",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i <"
            + " 5000) SELECT count(*) FROM n | 5001 | 0",
        "SELECT id, row_number() OVER (ORDER BY b) FROM big LIMIT 50 | 10152 | 0",
        "SELECT id, sum(b) OVER (ORDER BY id) FROM big | 30001 | 0",
        "SELECT * FROM keyed WHERE k IN ('a', 'z') | 3 | 0",
        "SELECT * FROM two WHERE a > 0 AND b = 2 | 8 | 0",
        "SELECT * FROM keyed WHERE k GLOB 'a*' | 3 | 0",
        "UPDATE pk SET id = id + 100 WHERE id IN (1, 2) | 12 | 2",
        "DELETE FROM logged | 6 | 6",
        "DELETE FROM parent | 22 | 6",
        "INSERT INTO child VALUES (9, NULL) | 1 | 2",
        "INSERT OR REPLACE INTO keyed VALUES ('a', 5), ('z', 6) | 1 | 4",
        "INSERT INTO keyed VALUES ('a', 5) ON CONFLICT (k) DO UPDATE SET v = 9 | 1 | 1",
        "DELETE FROM keyed WHERE k = 'zz' | 0 | 0",
        "CREATE INDEX nx ON big (b) | 20049 | 10001",
        "ALTER TABLE pk RENAME TO pk2 | 90 | 15",
      })
  void countsWithinBounds(String sql, long read, long written) {
    StoreTurn turn = store.beginTurn();
    SqlRows rows = drained(turn, sql);
    assertThat(rows.rowsRead()).as("rows read by %s", sql).isBetween(read / 4 - 64, 4 * read + 128);
    assertThat(rows.rowsWritten())
        .as("rows written by %s", sql)
        .isBetween(written / 5, 2 * written);
    turn.discard();
  }

  /** In any state of SQLite's own count of instructions when a kept statement runs again. */
  @Test
  void boundsHoldEachTimeAKeptStatementRuns() {
    StoreTurn turn = store.beginTurn();
    for (int run = 0; run < 50; run++) {
      long read = drained(turn, "SELECT sum(b) FROM big WHERE a > 97").rowsRead();
      assertThat(read).as("of 200, in run %s", run).isBetween(100L, 230L);
    }
    turn.discard();
  }

  @Test
  void counterOfAnOpenCursorOnlyGrows() {
    StoreTurn turn = store.beginTurn();
    SqlRows rows = turn.exec("SELECT * FROM big WHERE a > 50 AND b % 7 = 0 LIMIT 500", NONE);
    long before = rows.rowsRead();
    while (rows.next() != null) {
      assertThat(rows.rowsRead()).isGreaterThanOrEqualTo(before);
      before = rows.rowsRead();
    }
    assertThat(rows.rowsRead()).isGreaterThanOrEqualTo(before);
    turn.discard();
  }

  private static SqlRows drained(StoreTurn turn, String sql) {
    SqlRows rows = turn.exec(sql, NONE);
    while (rows.next() != null) {
      // Only the counters matter.
    }
    return rows;
  }
}
