package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlStorage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events that end a cursor, and its limits. */
final class SqlCursorEndTest {

  private final SqlObject object;

  SqlCursorEndTest(@TempDir Path directory) {
    object = new SqlObject(directory);
  }

  @Test
  void cursorKeepsItsRowsOverAWait() {
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            sql.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2), (3)");
            SqlCursor cursor = sql.exec("SELECT v FROM t ORDER BY rowid");
            assertThat(cursor.next().getLong("v")).isEqualTo(1);

            context.await(CompletableFuture.completedFuture(null));
            context.storage().sync();
            sql.exec("DELETE FROM t");
            context.storage().sync();

            assertThat(cursor.toList()).extracting(row -> row.getLong("v")).containsExactly(2L, 3L);
            assertThat(cursor.rowsRead()).isEqualTo(3);
          });
    }
  }

  @Test
  void cursorWithTooMuchLeftSaysSoAfterAWait() {
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          runtime,
          context -> {
            SqlCursor cursor =
                context
                    .storage()
                    .sql()
                    .exec(
                        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)"
                            + " SELECT i, hex(zeroblob(10000)) FROM n");
            cursor.next();
            context.await(CompletableFuture.completedFuture(null));
            assertThatThrownBy(() -> cursor.forEachRemaining(row -> {}))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("too much left");
          });
    }
  }

  @Test
  void refusedReadLeavesTheRowsOfACursor() {
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          runtime,
          context -> {
            SqlCursor cursor = SqlObject.threeRows(context.storage().sql());
            assertThatThrownBy(() -> context.call(cursor::next))
                .isInstanceOf(MisuseException.class);

            assertThat(cursor.toList()).hasSize(3);
          });
    }
  }

  @Test
  void cursorEndsWithItsEvent() {
    List<SqlCursor> kept = new ArrayList<>();
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(runtime, context -> kept.add(SqlObject.threeRows(context.storage().sql())));
      SqlObject.in(
          runtime,
          context -> {
            SqlCursor cursor = kept.getFirst();
            assertThat(cursor.columnNames()).hasSize(2);
            assertThatThrownBy(cursor::toList)
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("ended with its turn");
          });
    }
  }

  @Test
  void cursorContinuesAfterARollbackWithWhatIsLeft() {
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          runtime,
          context -> {
            SqlCursor cursor = rolledBack(context, "INSERT INTO t VALUES (4)");
            assertThat(cursor.toList().stream().map(row -> row.getLong("v"))).containsExactly(1L);
            assertThat(context.storage().sql().exec("SELECT * FROM t").toList()).isEmpty();
          });
    }
  }

  @Test
  void cursorEndsWithTheTransactionThatMadeATableAndIsRolledBack() {
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          runtime,
          context -> {
            SqlCursor cursor = rolledBack(context, "CREATE TABLE u (v)");
            assertThatThrownBy(cursor::toList)
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("because the transaction it was open in was rolled back");
          });
    }
  }

  /** {@return a cursor over 1, 2 and 3, of which the first was read before the rollback} */
  private static SqlCursor rolledBack(ObjectContext context, String lastWrite) {
    SqlStorage sql = context.storage().sql();
    sql.exec("CREATE TABLE t (v)");
    return context
        .storage()
        .transaction(
            transaction -> {
              sql.exec("INSERT INTO t VALUES (1), (2), (3)");
              SqlCursor cursor = sql.exec("SELECT v FROM t");
              sql.exec(lastWrite);
              transaction.rollback();
              return cursor;
            });
  }

  @Test
  void cursorOfADeletedDatabaseSaysSo() {
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          runtime,
          context -> {
            SqlCursor cursor = SqlObject.threeRows(context.storage().sql());
            context.storage().deleteAll();
            assertThatThrownBy(cursor::toList)
                .hasMessageStartingWith(
                    "SQLite query was canceled because the database was deleted.");
          });
    }
  }

  @Test
  void tooManyOpenCursorsAreRefusedAndEndedOnesMakeRoom() {
    object.run(
        sql -> {
          List<SqlCursor> open = new ArrayList<>();
          for (int i = 0; i < 128; i++) {
            open.add(SqlObject.threeRows(sql));
          }
          assertThatThrownBy(() -> SqlObject.threeRows(sql))
              .isInstanceOf(SqlException.class)
              .hasMessageContaining("Too many cursors");
          open.getFirst().toList();
          assertThat(SqlObject.threeRows(sql).toList()).hasSize(3);
        });
  }

  @Test
  void cursorThatHasFailedFailsAgain() {
    object.run(
        sql -> {
          SqlCursor cursor =
              sql.exec("SELECT abs(column1) FROM (VALUES (1), (-9223372036854775808), (3))");
          assertThatThrownBy(cursor::next).hasMessageStartingWith("integer overflow: SQLITE_ERROR");
          // It must not look as if the rows had come to an end.
          assertThatThrownBy(cursor::hasNext)
              .hasMessageStartingWith("integer overflow: SQLITE_ERROR");
          assertThat(sql.exec("SELECT 1 AS one").one().getLong("one")).isEqualTo(1);
        });
  }

  @Test
  void listThatTakesTooMuchMemoryIsRefused() {
    SqlLimits limits = SqlLimits.DEFAULT.withResultBytesMax(100_000);
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      SqlObject.in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            String endless =
                "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
            assertThatThrownBy(() -> sql.exec(endless).toList())
                .isInstanceOf(SqlException.class)
                .hasMessageStartingWith("SQL query result set is too large to fit in memory.");
            assertThat(sql.exec(endless + " LIMIT 100").toList()).hasSize(100);
          });
    }
  }

  @Test
  void returnedRowsThatTakeTooMuchMemoryUndoTheirStatementOnly() {
    SqlLimits limits = SqlLimits.DEFAULT.withResultBytesMax(100_000);
    String insert =
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            + " INSERT INTO t SELECT i FROM n RETURNING v";
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      SqlObject.in(runtime, context -> context.storage().sql().exec("CREATE TABLE t (v)"));
      SqlObject.in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            for (int i = 0; i < 2; i++) {
              // As the first write of a turn, and after another one.
              assertThatThrownBy(() -> sql.exec(insert, 10_000))
                  .isInstanceOf(SqlException.class)
                  .hasMessageStartingWith("The rows that the statement returns are too large");
              assertThat(sql.exec("SELECT count(*) AS n FROM t").one().getLong("n")).isEqualTo(i);
              sql.exec("INSERT INTO t VALUES (7)");
            }
            assertThat(sql.exec(insert, 100).toList()).hasSize(100);
          });
      SqlObject.in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            // With a cursor that is open before the first write.
            SqlCursor open = sql.exec("SELECT v FROM t");
            open.next();
            assertThatThrownBy(() -> sql.exec(insert, 10_000)).isInstanceOf(SqlException.class);
            assertThat(open.toList()).hasSize(101);
          });
      SqlObject.in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            assertThat(sql.exec("SELECT count(*) AS n FROM t").one().getLong("n")).isEqualTo(102);
          });
    }
  }

  @Test
  void returnedRowsEndAsThoseOfOtherCursorsDo() {
    String insert = "INSERT INTO t VALUES (1), (2), (3) RETURNING v";
    List<SqlCursor> kept = new ArrayList<>();
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            sql.exec("CREATE TABLE t (v)");
            SqlCursor waiting = sql.exec(insert);
            context.storage().sync();
            assertThat(waiting.toList()).hasSize(3);
            List<SqlCursor> opened = new ArrayList<>();
            context
                .storage()
                .transaction(
                    transaction -> {
                      opened.add(sql.exec(insert));
                      transaction.rollback();
                      return null;
                    });
            assertThatThrownBy(() -> opened.getFirst().toList())
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("was rolled back");
            SqlCursor deleted = sql.exec(insert);
            context.storage().deleteAll();
            assertThatThrownBy(deleted::toList)
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("the database was deleted");
            sql.exec("CREATE TABLE t (v)");
            kept.add(sql.exec(insert));
          });
      SqlObject.in(
          runtime,
          context ->
              assertThatThrownBy(() -> kept.getFirst().toList())
                  .isInstanceOf(SqlException.class)
                  .hasMessageContaining("ended with its turn"));
    }
  }
}
