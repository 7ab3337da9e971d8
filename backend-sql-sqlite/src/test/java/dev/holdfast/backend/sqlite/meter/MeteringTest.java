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

/** Rows read and written, as the reference runtime counts them. */
final class MeteringTest extends OpenObject {

  @BeforeEach
  void fill() {
    commit(
        store,
        turn ->
            turn.exec(
                MeteredTables.SQL
                    + """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent (id));
                    CREATE TABLE source (v);
                    CREATE VIRTUAL TABLE full_text USING fts5 (v);
                    INSERT INTO source VALUES (7), (8), (9);
                    INSERT INTO logged VALUES (1, 1), (2, 2), (3, 3);
                    INSERT INTO full_text VALUES ('hello world'), ('hello there'), ('bye');
                    """,
                NONE));
  }

  /** The table of the reference's definition. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INSERT INTO pk VALUES (5, 50)                                     | 1 | 1",
        "INSERT INTO plain VALUES (5)                                      | 0 | 1",
        "INSERT INTO pk SELECT v, v FROM source                            | 6 | 3",
        "INSERT INTO plain SELECT v FROM source                            | 3 | 3",
        "INSERT INTO pk VALUES (5, zeroblob(100000))                       | 1 | 1",
        "INSERT INTO indexed VALUES (5, 50, 5)                             | 1 | 2",
        "INSERT INTO keyed VALUES ('a', 1)                                 | 0 | 2",
        "INSERT INTO whole VALUES ('a', 1)                                 | 0 | 1",
        "INSERT OR REPLACE INTO indexed VALUES (1, 99, 9)                  | 1 | 2",
        "INSERT INTO indexed VALUES (1, 5, 5) ON CONFLICT (id) DO UPDATE SET a = 77 | 1 | 2",
        "INSERT INTO plain VALUES (5) RETURNING v                          | 1 | 1",
        "UPDATE indexed SET b = 9 WHERE id = 1                             | 1 | 1",
        "UPDATE indexed SET a = 9 WHERE id = 1                             | 1 | 2",
        "UPDATE indexed SET b = 9                                          | 4 | 4",
        "UPDATE indexed SET b = 9 WHERE b = 77                             | 4 | 0",
        "DELETE FROM pk WHERE id = 1                                       | 1 | 1",
        "DELETE FROM pk WHERE id = 77                                      | 1 | 0",
        "DELETE FROM plain                                                 | 0 | 4",
        "DELETE FROM pk                                                    | 0 | 4",
        "INSERT INTO logged VALUES (9, 9)                                  | 1 | 2",
        "SELECT * FROM plain                                               | 4 | 0",
        "SELECT * FROM empty                                               | 1 | 0",
        "SELECT * FROM pk WHERE id = 2                                     | 1 | 0",
        "SELECT * FROM pk WHERE id = 77                                    | 1 | 0",
        "SELECT * FROM plain WHERE v = 2                                   | 4 | 0",
        "SELECT * FROM indexed WHERE a = 20                                | 2 | 0",
        "SELECT * FROM indexed WHERE a = 77                                | 0 | 0",
        "SELECT * FROM plain ORDER BY v                                    | 8 | 0",
        "SELECT a FROM indexed ORDER BY a                                  | 4 | 0",
        "SELECT v, count(*) FROM plain GROUP BY v                          | 8 | 0",
        "SELECT * FROM plain LIMIT 2                                       | 2 | 0",
        "SELECT * FROM plain LIMIT 0                                       | 0 | 0",
        "SELECT * FROM plain LIMIT -1                                      | 4 | 0",
        "SELECT * FROM plain LIMIT 10                                      | 4 | 0",
        "SELECT * FROM plain LIMIT 2 OFFSET 1                              | 3 | 0",
        "SELECT * FROM plain LIMIT 2 OFFSET 3                              | 4 | 0",
        "SELECT * FROM plain LIMIT 2 OFFSET 9                              | 4 | 0",
        "SELECT * FROM plain LIMIT -1 OFFSET 2                             | 4 | 0",
        "SELECT * FROM plain WHERE v > 100 LIMIT 3                         | 4 | 0",
        "SELECT * FROM plain WHERE v > 2 LIMIT 5                           | 4 | 0",
        "SELECT * FROM plain ORDER BY v LIMIT 2                            | 8 | 0",
        "SELECT * FROM plain ORDER BY v LIMIT 2 OFFSET 1                   | 8 | 0",
        "SELECT * FROM plain ORDER BY v LIMIT 10                           | 8 | 0",
        "SELECT * FROM plain ORDER BY v LIMIT 0                            | 0 | 0",
        "SELECT * FROM indexed WHERE a = 20 LIMIT 5                        | 2 | 0",
        "SELECT * FROM indexed WHERE id > 2                                | 2 | 0",
        "SELECT * FROM indexed WHERE a >= 30                               | 2 | 0",
        "SELECT id FROM indexed ORDER BY id DESC LIMIT 1 OFFSET 2          | 3 | 0",
        "SELECT * FROM plain x, plain y LIMIT 6                            | 8 | 0",
        "SELECT * FROM plain x, plain y LIMIT 3 OFFSET 2                   | 7 | 0",
        "SELECT * FROM whole WHERE k = 'none'                              | 0 | 0",
        "SELECT * FROM keyed WHERE k = 'none'                              | 0 | 0",
        "SELECT * FROM plain WHERE v IN (1, 2, 9)                          | 4 | 0",
        "SELECT * FROM pk WHERE id IN (1, 2, 9)                            | 6 | 0",
        "SELECT value FROM json_each('[1, 2, 3]') LIMIT 2                  | 1 | 0",
        "INSERT INTO indexed SELECT v, v, v FROM source                    | 6 | 6",
        "INSERT INTO indexed VALUES (5, 50, 5) RETURNING id                | 2 | 2",
        "INSERT INTO indexed VALUES (1, 10, 9) ON CONFLICT (id) DO NOTHING | 1 | 0",
        "SELECT sum(v), min(v), max(v) FROM plain                          | 4 | 0",
        "SELECT * FROM plain p JOIN pk ON pk.id = p.v                      | 8 | 0",
        "SELECT v FROM plain UNION ALL SELECT v FROM pk                    | 8 | 0",
        "SELECT v FROM plain UNION ALL SELECT v FROM pk LIMIT 5            | 5 | 0",
        "SELECT v FROM plain UNION SELECT v FROM pk                        | 16 | 0",
        "SELECT id FROM pk WHERE id > 2 UNION ALL SELECT id FROM indexed WHERE id > 2 | 4 | 0",
        "SELECT * FROM indexed WHERE a IN (10, 20, 99)                     | 7 | 0",
        "SELECT * FROM indexed WHERE a = 10 OR a = 20                      | 6 | 0",
        "SELECT * FROM indexed WHERE a = 10 OR id = 2                      | 3 | 0",
        "SELECT * FROM indexed WHERE a = 20 ORDER BY b                     | 3 | 0",
        "SELECT a, count(*) FROM indexed GROUP BY a                        | 4 | 0",
        "SELECT * FROM plain WHERE v IN (SELECT id FROM pk)                | 8 | 0",
        "SELECT * FROM plain CROSS JOIN empty                              | 2 | 0",
        "INSERT INTO plain SELECT a FROM indexed WHERE a = 20              | 2 | 1",
        "UPDATE indexed SET a = 1 WHERE a = 20                             | 4 | 2",
        "SELECT count(*) FROM plain                                        | 4 | 0",
        "SELECT count(*) FROM empty                                        | 0 | 0",
        "SELECT min(a) FROM indexed                                        | 1 | 0",
        "SELECT max(a) FROM indexed                                        | 1 | 0",
        "SELECT min(v) FROM plain                                          | 4 | 0",
        "SELECT max(v) FROM plain                                          | 4 | 0",
        "SELECT * FROM plain x, plain y                                    | 20 | 0",
        "SELECT v FROM full_text WHERE full_text MATCH 'hello'             | 2 | 0",
        "INSERT INTO full_text VALUES ('new')                              | 0 | 1",
        "CREATE TABLE made (v)                                             | 1 | 2",
        "CREATE TABLE made (v UNIQUE)                                      | 1 | 3",
        "CREATE TABLE made (k TEXT PRIMARY KEY) WITHOUT ROWID              | 1 | 2",
        "CREATE TABLE made AS SELECT * FROM plain                          | 5 | 6",
        "CREATE VIRTUAL TABLE made USING fts5 (v)                          | 1 | 2",
        "CREATE INDEX made ON indexed (b)                                  | 10 | 5",
        "CREATE INDEX made ON empty (v)                                    | 2 | 1",
        "INSERT INTO pk VALUES (5, 50), (6, 60)                            | 2 | 2",
        "INSERT OR IGNORE INTO pk VALUES (1, 50), (6, 60)                  | 2 | 1",
        "INSERT INTO parent VALUES (1), (2)                                | 2 | 2",
        "UPDATE plain SET v = 9 WHERE v = 3 RETURNING v                    | 7 | 1",
        "SELECT count(*) FROM empty a, empty b, empty c                    | 0 | 0",
        "SELECT 1 IN (1, 2, 3, 4)                                          | 1 | 0",
        "SELECT 1                                                          | 0 | 0",
        "PRAGMA table_list                                                 | 0 | 0",
        "EXPLAIN SELECT * FROM plain                                       | 0 | 0",
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 50)"
            + " SELECT i FROM n                                            | 51 | 0",
      })
  void countsAsTheReferenceDoes(String sql, long read, long written) {
    StoreTurn turn = store.beginTurn();
    SqlRows rows = drained(turn, sql);
    assertThat(rows.rowsRead()).as("rows read by %s", sql).isEqualTo(read);
    assertThat(rows.rowsWritten()).as("rows written by %s", sql).isEqualTo(written);
    turn.discard();
  }

  @Test
  void countersGrowWhileRowsAreRead() {
    StoreTurn turn = store.beginTurn();
    SqlRows first = turn.exec("SELECT v FROM plain", NONE);
    SqlRows second = turn.exec("SELECT v FROM plain", NONE);
    assertThat(first.rowsRead()).isEqualTo(1);
    first.next();
    first.next();
    first.next();
    assertThat(first.rowsRead()).isEqualTo(3);
    assertThat(second.rowsRead()).isEqualTo(1);
    turn.discard();
  }

  @Test
  void counterOfAReusedStatementBeginsAtZero() {
    StoreTurn turn = store.beginTurn();
    assertThat(drained(turn, "SELECT v FROM plain").rowsRead()).isEqualTo(4);
    assertThat(drained(turn, "SELECT v FROM plain").rowsRead()).isEqualTo(4);
    turn.exec("INSERT INTO plain VALUES (5)", NONE);
    assertThat(drained(turn, "SELECT v FROM plain WHERE v = 1").rowsRead()).isEqualTo(5);
    assertThat(drained(turn, "INSERT INTO plain VALUES (6)").rowsWritten()).isEqualTo(1);
    assertThat(drained(turn, "SELECT v FROM plain WHERE v = 1").rowsRead()).isEqualTo(6);
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
