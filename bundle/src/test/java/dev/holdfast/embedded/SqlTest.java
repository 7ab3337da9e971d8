package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.SqlException;
import dev.holdfast.StorageKind;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.sql.SqlResult;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.sql.SqlStorage;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SQL as an application has it: cursors, records, limits and migrations. */
class SqlTest {

  @TempDir private Path directory;

  private ObjectRuntime open(NamespaceOptions options) {
    return Holdfast.open(
        directory, objects -> objects.namespace("db", Scripted.class, Scripted::of, options));
  }

  private static void in(ObjectRuntime runtime, Consumer<ObjectContext> work) {
    Scripted.in(
        runtime.namespace("db", Scripted.class).getByName("a"),
        context -> {
          work.accept(context);
          return true;
        });
  }

  /** Runs code in one turn of an object. */
  private void inObject(Consumer<SqlStorage> work) {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(runtime, context -> work.accept(context.storage().sql()));
    }
  }

  private static SqlCursor threeRows(SqlStorage sql) {
    return sql.exec("VALUES (1, 'x'), (2, 'y'), (3, 'z')");
  }

  // ---- Cursors ------------------------------------------------------------------------------

  @Test
  void allFormsOfAResultShareOnePosition() {
    inObject(
        sql -> {
          SqlCursor cursor = threeRows(sql);
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
    inObject(
        sql -> {
          SqlCursor cursor = threeRows(sql);
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
    inObject(
        sql -> {
          SqlCursor cursor = threeRows(sql);
          cursor.next();
          cursor.next();
          assertThat(cursor.raw().one()).containsExactly(3L, "z");
          assertThatThrownBy(cursor::one)
              .isInstanceOf(SqlException.class)
              .hasMessageStartingWith(
                  "Expected exactly one result from SQL query, but got no results.");
          SqlCursor several = threeRows(sql);
          assertThatThrownBy(several::one)
              .hasMessageStartingWith(
                  "Expected exactly one result from SQL query, but got multiple results.");
          assertThat(several.hasNext()).isFalse();
        });
  }

  @Test
  void ofColumnsWithOneNameTheLastCounts() {
    inObject(
        sql -> {
          SqlRow row = sql.exec("SELECT 1 AS a, 2 AS b, 3 AS a").one();
          assertThat(row.getLong("a")).isEqualTo(3);
          assertThat(row.values()).containsExactly(1L, 2L, 3L);
          assertThat(row.toMap()).hasSize(2);
        });
  }

  @Test
  void twoCursorsOfOneTextReadOnTheirOwn() {
    inObject(
        sql -> {
          SqlCursor first = threeRows(sql);
          first.next();
          SqlCursor second = threeRows(sql);
          assertThat(second.toList()).hasSize(3);
          assertThat(first.toList()).hasSize(2);
        });
  }

  @Test
  void cursorKeepsItsRowsOverAWait() {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(
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
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(
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
  void cursorEndsWithItsEvent() {
    List<SqlCursor> kept = new ArrayList<>();
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(runtime, context -> kept.add(threeRows(context.storage().sql())));
      in(
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
  void cursorEndsWithTheTransactionThatIsRolledBack() {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            sql.exec("CREATE TABLE t (v)");
            List<SqlCursor> opened = new ArrayList<>();
            context
                .storage()
                .transaction(
                    transaction -> {
                      sql.exec("INSERT INTO t VALUES (1), (2), (3)");
                      opened.add(sql.exec("SELECT v FROM t"));
                      transaction.rollback();
                      return null;
                    });
            assertThatThrownBy(() -> opened.getFirst().toList()).isInstanceOf(SqlException.class);
            assertThat(sql.exec("SELECT count(*) AS n FROM t").one().getLong("n")).isZero();
          });
    }
  }

  @Test
  void cursorOfADeletedDatabaseSaysSo() {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(
          runtime,
          context -> {
            SqlCursor cursor = threeRows(context.storage().sql());
            context.storage().deleteAll();
            assertThatThrownBy(cursor::toList)
                .hasMessageStartingWith(
                    "SQLite query was canceled because the database was deleted.");
          });
    }
  }

  @Test
  void tooManyOpenCursorsAreRefusedAndEndedOnesMakeRoom() {
    inObject(
        sql -> {
          List<SqlCursor> open = new ArrayList<>();
          for (int i = 0; i < 128; i++) {
            open.add(threeRows(sql));
          }
          assertThatThrownBy(() -> threeRows(sql))
              .isInstanceOf(SqlException.class)
              .hasMessageContaining("Too many cursors");
          open.getFirst().toList();
          assertThat(threeRows(sql).toList()).hasSize(3);
        });
  }

  @Test
  void cursorThatHasFailedFailsAgain() {
    inObject(
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
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      in(
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
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      in(runtime, context -> context.storage().sql().exec("CREATE TABLE t (v)"));
      in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            for (int i = 0; i < 2; i++) {
              // As the first write of a turn, and behind another one.
              assertThatThrownBy(() -> sql.exec(insert, 10_000))
                  .isInstanceOf(SqlException.class)
                  .hasMessageStartingWith("The rows that the statement returns are too large");
              assertThat(sql.exec("SELECT count(*) AS n FROM t").one().getLong("n")).isEqualTo(i);
              sql.exec("INSERT INTO t VALUES (7)");
            }
            assertThat(sql.exec(insert, 100).toList()).hasSize(100);
          });
      in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            // With a cursor that is open before the first write.
            SqlCursor open = sql.exec("SELECT v FROM t");
            open.next();
            assertThatThrownBy(() -> sql.exec(insert, 10_000)).isInstanceOf(SqlException.class);
            assertThat(open.toList()).hasSize(101);
          });
      in(
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
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(
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
      in(
          runtime,
          context ->
              assertThatThrownBy(() -> kept.getFirst().toList())
                  .isInstanceOf(SqlException.class)
                  .hasMessageContaining("ended with its turn"));
    }
  }

  @Test
  void countersGrowWithTheReaderAndAddUp() {
    inObject(
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

  record Person(
      long id,
      String firstName,
      @Nullable Integer age,
      double height,
      boolean active,
      BigDecimal balance,
      BigInteger big,
      Instant born,
      DayOfWeek day,
      byte[] photo) {}

  @Test
  void rowsBecomeRecordsExactly() {
    inObject(
        sql -> {
          sql.exec(
              "CREATE TABLE person (id INTEGER PRIMARY KEY, first_name TEXT, AGE, height REAL,"
                  + " active, balance TEXT, big, born, day, photo, other)");
          Instant born = Instant.ofEpochMilli(123_456_789);
          sql.exec(
              "INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'not asked for')",
              7,
              "Ada",
              null,
              1.5,
              true,
              new BigDecimal("12.340"),
              BigInteger.valueOf(Long.MAX_VALUE),
              born,
              DayOfWeek.FRIDAY,
              new byte[] {1, 2});

          Person person = sql.exec("SELECT * FROM person").as(Person.class).one();

          assertThat(person.id()).isEqualTo(7);
          assertThat(person.firstName()).isEqualTo("Ada");
          assertThat(person.age()).isNull();
          assertThat(person.height()).isEqualTo(1.5);
          assertThat(person.active()).isTrue();
          assertThat(person.balance()).isEqualTo(new BigDecimal("12.340"));
          assertThat(person.big()).isEqualTo(BigInteger.valueOf(Long.MAX_VALUE));
          assertThat(person.born()).isEqualTo(born);
          assertThat(person.day()).isEqualTo(DayOfWeek.FRIDAY);
          assertThat(person.photo()).containsExactly(1, 2);
        });
  }

  record Small(int value) {}

  record Wide(double value) {}

  record Unknown(Thread value) {}

  @Test
  void whatDoesNotFitARecordIsRefused() {
    inObject(
        sql -> {
          assertThatIllegalArgumentException()
              .isThrownBy(() -> sql.exec("SELECT 1 AS other").as(Small.class))
              .withMessageContaining("no column for the component \"value\"");
          assertThatIllegalArgumentException()
              .isThrownBy(() -> sql.exec("SELECT 1 AS value").as(Unknown.class))
              .withMessageContaining("java.lang.Thread");
          for (String value : List.of("3000000000", "1.5", "'1'", "NULL", "x'00'")) {
            assertThatIllegalArgumentException()
                .as(value)
                .isThrownBy(() -> sql.exec("SELECT " + value + " AS value").as(Small.class).next())
                .withMessageContaining("does not fit");
          }
          assertThatIllegalArgumentException()
              .isThrownBy(() -> sql.exec("SELECT 9007199254740993 AS value").as(Wide.class).next());
          assertThat(sql.exec("SELECT -7 AS value").as(Small.class).toList())
              .containsExactly(new Small(-7));
        });
  }

  // ---- Limits -------------------------------------------------------------------------------

  @Test
  void runawayStatementIsStopped() {
    SqlLimits limits = SqlLimits.DEFAULT.withStatementStepsMax(1_000_000);
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      String endless =
          "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM"
              + " n";
      in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            sql.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1)");
            assertThatThrownBy(() -> sql.exec(endless))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("more than 1000000 instructions");
            assertThat(sql.exec("SELECT v FROM t").one().getLong("v")).isEqualTo(1);
          });
      // One that writes takes the transaction along: the object is reset, with what it wrote.
      assertThatExceptionOfType(InstanceResetException.class)
          .isThrownBy(
              () ->
                  in(
                      runtime,
                      context -> {
                        SqlStorage sql = context.storage().sql();
                        sql.exec("INSERT INTO t VALUES (2)");
                        sql.exec("INSERT INTO t " + endless);
                      }));
      in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT v FROM t").toList()).hasSize(1));
    }
  }

  @Test
  void runawayStatementThatReturnsRowsIsStoppedToo() {
    SqlLimits limits = SqlLimits.DEFAULT.withStatementStepsMax(100_000);
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            SqlCursor endless =
                sql.exec(
                    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)"
                        + " SELECT i FROM n");
            assertThatThrownBy(() -> endless.stream().limit(1_000_000).forEach(row -> {}))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("more than 100000 instructions");
            // Each statement has a budget of its own, however much others have taken.
            for (int i = 0; i < 3; i++) {
              assertThat(sql.exec("SELECT 1 AS one").one().getLong("one")).isEqualTo(1);
            }
          });
    }
  }

  @Test
  void abortStopsARunningStatement() throws Exception {
    SqlLimits limits = SqlLimits.DEFAULT.withStatementStepsMax(Long.MAX_VALUE);
    NamespaceOptions options =
        NamespaceOptions.DEFAULT
            .withSqlLimits(limits)
            .withCriticalSectionTimeout(java.time.Duration.ofMillis(50));
    CountDownLatch begun = new CountDownLatch(1);
    try (ObjectRuntime runtime = open(options)) {
      // The section's time runs out while its statement runs for ever: the reset stops it.
      assertThatExceptionOfType(InstanceResetException.class)
          .isThrownBy(
              () ->
                  in(
                      runtime,
                      context ->
                          context.blockConcurrencyWhile(
                              () -> {
                                begun.countDown();
                                return context
                                    .storage()
                                    .sql()
                                    .exec(
                                        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL"
                                            + " SELECT i + 1 FROM n) SELECT count(*) FROM n");
                              })))
          .withMessageContaining("critical section");
    }
    assertThat(begun.getCount()).isZero();
  }

  @Test
  void limitsAreThoseOfTheNamespace() {
    SqlLimits limits =
        SqlLimits.DEFAULT
            .withColumnsMax(10)
            .withParametersMax(3)
            .withCompoundSelectMax(2)
            .withExpressionDepthMax(10)
            .withLikePatternBytesMax(4)
            .withTriggerDepthMax(1)
            .withStatementBytesMax(200)
            .withValueBytesMax(1_024 * 1_024);
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            refuses(sql, "SELECT 1,2,3,4,5,6,7,8,9,10,11", "too many columns");
            refuses(sql, "SELECT ?4", "variable number must be between ?1 and ?3");
            refuses(
                sql, "SELECT 1 UNION SELECT 2 UNION SELECT 3", "too many terms in compound SELECT");
            refuses(sql, "SELECT 1+1+1+1+1+1+1+1+1+1+1+1", "Expression tree is too large");
            refuses(sql, "SELECT 'a' LIKE 'abcde'", "LIKE or GLOB pattern too complex");
            refuses(sql, "SELECT " + "1".repeat(200), "statement too long: SQLITE_TOOBIG");
            refuses(sql, "SELECT zeroblob(1048577)", "string or blob too big: SQLITE_TOOBIG");
            assertThat(sql.exec("SELECT 'é' AS e").one().getString("e")).isEqualTo("é");
          });
    }
  }

  private static void refuses(SqlStorage sql, String statement, String why) {
    assertThatThrownBy(() -> sql.exec(statement).toList())
        .as(statement)
        .isInstanceOf(SqlException.class)
        .hasMessageContaining(why);
  }

  // ---- Migrations ---------------------------------------------------------------------------

  private static final SqlMigration TABLE =
      new SqlMigration("people", "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)");
  private static final SqlMigration COLUMN =
      new SqlMigration(
          "age", "ALTER TABLE person ADD COLUMN age INTEGER; UPDATE person SET age = 1");

  private static NamespaceOptions migrated(SqlMigration... migrations) {
    return NamespaceOptions.DEFAULT.withMigrations(List.of(migrations));
  }

  @Test
  void migrationsRunOncePerObjectInOrder() {
    try (ObjectRuntime runtime = open(migrated(TABLE))) {
      in(
          runtime,
          context ->
              context.storage().sql().exec("INSERT INTO person (name) VALUES ('Ada'), ('Bob')"));
    }
    try (ObjectRuntime runtime = open(migrated(TABLE, COLUMN))) {
      in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT age FROM person").raw().toList())
                  .containsExactly(List.of(1L), List.of(1L)));
      in(runtime, context -> context.storage().sql().exec("UPDATE person SET age = 30"));
    }
    try (ObjectRuntime runtime = open(migrated(TABLE, COLUMN))) {
      in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT age FROM person").raw().toList())
                  .containsExactly(List.of(30L), List.of(30L)));
    }
  }

  @Test
  void failingMigrationLeavesTheObjectAsItWas() {
    SqlMigration broken =
        new SqlMigration("broken", "CREATE TABLE other (v); INSERT INTO missing VALUES (1)");
    try (ObjectRuntime runtime = open(migrated(TABLE))) {
      in(
          runtime,
          context -> context.storage().sql().exec("INSERT INTO person (name) VALUES ('Ada')"));
    }
    try (ObjectRuntime runtime = open(migrated(TABLE, COLUMN, broken))) {
      assertThatThrownBy(() -> in(runtime, context -> {}))
          .isInstanceOf(InstanceResetException.class)
          .cause()
          .isInstanceOf(SqlException.class)
          .hasMessageContaining("Migration 3 \"broken\" failed, and nothing was changed")
          .hasMessageContaining("no such table: missing");
    }
    try (ObjectRuntime runtime = open(migrated(TABLE, COLUMN))) {
      in(
          runtime,
          context ->
              assertThat(
                      context
                          .storage()
                          .sql()
                          .exec("SELECT name FROM sqlite_schema WHERE name IN ('other', 'person')")
                          .raw()
                          .toList())
                  .containsExactly(List.of("person")));
    }
  }

  @Test
  void migrationsThatWereChangedAreRefused() {
    try (ObjectRuntime runtime = open(migrated(TABLE, COLUMN))) {
      in(runtime, context -> {});
    }
    SqlMigration changed = new SqlMigration("people", "CREATE TABLE person (id)");
    assertActivationFails(migrated(changed, COLUMN), "has run another migration 1, \"people\"");
    assertActivationFails(migrated(COLUMN, TABLE), "has run another migration 1, \"people\"");
    assertActivationFails(migrated(TABLE), "has run 2 migrations, but only 1 are given");
  }

  private void assertActivationFails(NamespaceOptions options, String why) {
    try (ObjectRuntime runtime = open(options)) {
      assertThatThrownBy(() -> in(runtime, context -> {})).cause().hasMessageContaining(why);
    }
  }

  @Test
  void deleteAllLetsMigrationsRunAgain() {
    try (ObjectRuntime runtime = open(migrated(TABLE))) {
      in(runtime, context -> context.storage().deleteAll());
    }
    try (ObjectRuntime runtime = open(migrated(TABLE))) {
      in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT * FROM person").toList()).isEmpty());
    }
  }

  @Test
  void migrationsNeedSql() {
    try (ObjectRuntime runtime = open(migrated(TABLE).withStorage(StorageKind.ROCKSDB))) {
      assertThatThrownBy(() -> in(runtime, context -> {}))
          .hasRootCauseInstanceOf(SqlException.class);
    }
  }

  // ---- Transactions -------------------------------------------------------------------------

  @Test
  void constraintThatIsStillBrokenAtTheCommitResetsTheObject() {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(
          runtime,
          context -> {
            context
                .storage()
                .sql()
                .exec(
                    "CREATE TABLE u (id INTEGER PRIMARY KEY);"
                        + "CREATE TABLE p (id INTEGER PRIMARY KEY, u REFERENCES u (id))");
            context.storage().put("before", 1L);
          });
      assertThatExceptionOfType(InstanceResetException.class)
          .isThrownBy(
              () ->
                  in(
                      runtime,
                      context -> {
                        context.storage().put("during", 1L);
                        context.storage().sql().exec("PRAGMA defer_foreign_keys = ON");
                        context.storage().sql().exec("INSERT INTO p (u) VALUES (5)");
                      }))
          .havingCause()
          .withMessageContaining("constraints were violated: FOREIGN KEY constraint failed");
      in(
          runtime,
          context -> {
            assertThat(context.storage().sql().exec("SELECT * FROM p").toList()).isEmpty();
            assertThat(context.storage().list(Object.class)).containsOnlyKeys("before");
          });
    }
  }

  @Test
  void nestedTransactionsTakeBackKeysAndRowsTogether() {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            sql.exec("CREATE TABLE t (v)");
            context
                .storage()
                .transactionSync(
                    () -> {
                      sql.exec("INSERT INTO t VALUES (1)");
                      context.storage().put("one", 1L);
                      assertThatThrownBy(
                              () ->
                                  context
                                      .storage()
                                      .transactionSync(
                                          () -> {
                                            sql.exec("INSERT INTO t VALUES (2)");
                                            sql.exec("CREATE TABLE made_inside (v)");
                                            context.storage().put("two", 2L);
                                            throw new IllegalStateException("inner");
                                          }))
                          .hasMessage("inner");
                      sql.exec("INSERT INTO t VALUES (3)");
                      return null;
                    });
            assertThat(sql.exec("SELECT v FROM t").raw().toList())
                .containsExactly(List.of(1L), List.of(3L));
            assertThat(context.storage().list(Object.class)).containsOnlyKeys("one");
            assertThatThrownBy(() -> sql.exec("SELECT * FROM made_inside"))
                .hasMessageStartingWith("no such table: made_inside");
          });
    }
  }

  @Test
  void databaseSizeCountsPagesInUse() {
    inObject(
        sql -> {
          long before = sql.databaseSize();
          sql.exec("CREATE TABLE t (v)");
          assertThat(sql.databaseSize()).isEqualTo(before + 4_096);
          sql.exec("DROP TABLE t");
          assertThat(sql.databaseSize()).isEqualTo(before);
        });
  }
}
