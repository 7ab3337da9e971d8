package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlResult;
import dev.holdfast.sql.SqlRow;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The forms of a cursor, and its counters. */
final class SqlCursorTest {

  @TempDir private Path directory;
  private SqlObject object;

  @BeforeEach
  void make() {
    object = new SqlObject(directory);
  }

  @Test
  void allFormsOfAResultShareOnePosition() {
    object.run(
        sql -> {
          SqlCursor cursor = SqlObject.threeRows(sql);
          SqlResult<List<@Nullable Object>> raw = cursor.raw();

          assertThat(raw.next()).containsExactly(1L, "x");
          assertThat(cursor.next().toMap()).containsEntry("column1", 2L);
          assertThat(raw.toList()).containsExactly(List.of(3L, "z"));
          assertThat(cursor.hasNext()).isFalse();
          assertThat(cursor.toList()).isEmpty();
          assertThat(cursor.columnNames()).containsExactly("column1", "column2");
          assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(cursor::next);
        });
  }

  @Test
  void loopsAndStreamsGoOnWhereTheLastOneStopped() {
    object.run(
        sql -> {
          SqlCursor cursor = SqlObject.threeRows(sql);
          List<Long> seen = new ArrayList<>();
          for (SqlRow row : cursor) {
            seen.add(row.getLong("column1"));
            if (seen.size() == 2) {
              break;
            }
          }
          assertThat(seen).containsExactly(1L, 2L);
          assertThat(cursor.stream().map(row -> row.getString("column2"))).containsExactly("z");
        });
  }

  @Test
  void oneTakesExactlyOneRow() {
    object.run(
        sql -> {
          SqlCursor cursor = SqlObject.threeRows(sql);
          cursor.next();
          cursor.next();
          assertThat(cursor.raw().one()).containsExactly(3L, "z");
          assertThatThrownBy(cursor::one)
              .isInstanceOf(SqlException.class)
              .hasMessageStartingWith(
                  "Expected exactly one result from SQL query, but got no results.");
          SqlCursor several = SqlObject.threeRows(sql);
          assertThatThrownBy(several::one)
              .hasMessageStartingWith(
                  "Expected exactly one result from SQL query, but got multiple results.");
          assertThat(several.hasNext()).isFalse();
        });
  }

  @Test
  void ofColumnsWithOneNameTheLastCounts() {
    object.run(
        sql -> {
          SqlRow row = sql.exec("SELECT 1 AS a, 2 AS b, 3 AS a").one();
          assertThat(row.getLong("a")).isEqualTo(3);
          assertThat(row.values()).containsExactly(1L, 2L, 3L);
          assertThat(row.toMap()).hasSize(2);
        });
  }

  @Test
  void twoCursorsOfOneTextReadOnTheirOwn() {
    object.run(
        sql -> {
          SqlCursor first = SqlObject.threeRows(sql);
          first.next();
          SqlCursor second = SqlObject.threeRows(sql);
          assertThat(second.toList()).hasSize(3);
          assertThat(first.toList()).hasSize(2);
        });
  }

  @Test
  void countersGrowWithTheReaderAndAddUp() {
    object.run(
        sql -> {
          sql.exec("CREATE TABLE t (v)");
          sql.exec(
              "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10)"
                  + " INSERT INTO t SELECT i FROM n");
          long before = sql.rowsRead();
          SqlCursor cursor = sql.exec("SELECT v FROM t");
          for (int read = 0; read < 10; read++) {
            assertThat(cursor.rowsRead()).isEqualTo(Math.min(read + 1, 10));
            cursor.next();
          }
          assertThat(cursor.rowsRead()).isEqualTo(10);
          assertThat(sql.rowsRead()).isEqualTo(before + 10);
          long written = sql.rowsWritten();
          sql.exec("INSERT INTO t VALUES (11), (12)");
          assertThat(sql.rowsWritten()).isEqualTo(written + 2);
        });
  }

  // ---- Values -------------------------------------------------------------------------------
}
