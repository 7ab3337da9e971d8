package dev.holdfast.backend.sqlite.turn;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.TimeSource;
import dev.holdfast.backend.sqlite.Objects;
import dev.holdfast.backend.sqlite.SqliteHost;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.sql.SqlLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What bounds the time, the memory and the files of a statement, and the size of an object. */
final class StatementBoundsTest {

  private static final Object[] NONE = {};

  private static final String ENDLESS =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) ";

  private static final String NUMBERS =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d) ";

  /** Without a bound on instructions: another limit must stop endless statements. */
  private static final SqlLimits ANY_STEPS =
      SqlLimits.FOREIGN.withStatementStepsMax(Long.MAX_VALUE).withSchemaChanges(true);

  @TempDir private Path root;
  private SqliteHost host;

  @BeforeEach
  void open() {
    host = new SqliteHost(root, 2);
  }

  @AfterEach
  void close() {
    host.close();
  }

  private ObjectStore store(SqlLimits limits) {
    return host.backend.store(Objects.object(1), limits);
  }

  private static void refuses(ThrowingCallable statement, String why) {
    assertThatThrownBy(statement).isInstanceOf(SqlException.class).hasMessageContaining(why);
  }

  @Test
  void statementEndsWhenItsTimeIsOver() {
    host.restart(new PassingTime(Duration.ofMillis(1)));
    StoreTurn turn = store(ANY_STEPS.withStatementTimeMax(Duration.ofMillis(200))).beginTurn();
    String late = "longer than PT0.2S; see SqlLimits.statementTimeMax";

    refuses(() -> rows(turn, ENDLESS + "SELECT count(*) FROM n"), late);
    // The time is that of all its rows, including the short ones.
    SqlRows endless = turn.exec(ENDLESS + "SELECT i FROM n", NONE);
    refuses(() -> drain(endless), late);
    assertThat(rows(turn, "SELECT 1")).as("each statement has its own time").hasSize(1);
    turn.discard();
  }

  /**
   * SQLite runs statements of its own within the one instruction, and makes progress calls in them.
   */
  @Test
  void searchInAFullTextTableEndsWhenItsTimeIsOver() {
    host.restart(new PassingTime(Duration.ofMillis(10)));
    commit(
        store(SqlLimits.DEFAULT.withStatementTimeMax(Duration.ofDays(1))),
        turn -> {
          rows(turn, "CREATE VIRTUAL TABLE ft USING fts5(a)");
          rows(
              turn,
              NUMBERS.formatted(3_000)
                  + "INSERT INTO ft SELECT 'a' || i || ' b a' || i * 7 FROM n");
        });
    StoreTurn turn = store(ANY_STEPS.withStatementTimeMax(Duration.ofMillis(500))).beginTurn();

    refuses(
        () -> rows(turn, "SELECT rowid FROM ft WHERE ft MATCH '" + "a* OR ".repeat(100) + "b*'"),
        "longer than PT0.5S");
    turn.discard();
  }

  @Test
  void valuesMayBeAsShortAsFourKibibytes() {
    StringBuilder columns = new StringBuilder("CREATE TABLE wide (");
    for (int number = 0; number < 99; number++) {
      columns.append("and_yet_another_column_with_a_very_long_name_").append(number).append(", ");
    }
    columns.append("v)");
    SqlLimits limits = SqlLimits.DEFAULT.withValueBytesMax(4_096);
    byte[] large = new byte[131_000];
    commit(
        store(limits),
        turn -> {
          rows(turn, columns.toString());
          rows(turn, "INSERT INTO wide (v) VALUES (zeroblob(3900))");
          turn.put(new byte[] {1}, large);
        });
    host.restart();

    // Neither the schema nor the values of keys are values of statements.
    commit(store(limits), turn -> turn.put(new byte[] {2}, large));
    StoreTurn turn = store(limits).beginTurn();
    assertThat(rows(turn, "SELECT length(v) FROM wide")).hasSize(1);
    assertThat(turn.get(new byte[] {1})).hasSize(large.length);
    refuses(() -> rows(turn, "SELECT zeroblob(4097)"), "string or blob too big: SQLITE_TOOBIG");
    refuses(() -> rows(turn, "SELECT length(?)", "x".repeat(4_097)), "too big: SQLITE_TOOBIG");
    turn.discard();
  }

  @Test
  void statementThatMayNeedTooMuchMemoryIsRefusedBeforeItRuns() {
    StoreTurn turn = store(ANY_STEPS).beginTurn();
    rows(turn, "CREATE TABLE t (v)");
    String sorted = "(SELECT group_concat(v) FROM (SELECT DISTINCT v FROM t ORDER BY v)), ";

    assertThat(rows(turn, "SELECT " + sorted.repeat(5) + "1")).hasSize(1);
    refuses(() -> rows(turn, "SELECT " + sorted.repeat(60) + "1"), "SqlLimits.memoryBytesMax");
    turn.discard();
  }

  /** Instead of refusing statements with short values, as most have. */
  @Test
  void statementThatMayHoldManyValuesHoldsShorterOnes() {
    SqlLimits limits = SqlLimits.DEFAULT.withMemoryBytesMax(64L * 1_024 * 1_024);
    StoreTurn turn = store(limits).beginTurn();

    assertThat(rows(turn, "SELECT " + "randomblob(10000), ".repeat(99) + "1")).hasSize(1);
    refuses(() -> rows(turn, "SELECT " + "randomblob(8000000), ".repeat(99) + "1"), "here at most");
    assertThat(rows(turn, "SELECT length(randomblob(8000000))")).hasSize(1);
    turn.discard();
  }

  /** The definitions in the schema may be longer than a value; what is computed may not. */
  @Test
  void statementThatChangesTheSchemaComputesNoLongValues() {
    StoreTurn turn = store(ANY_STEPS).beginTurn();
    String slow = "trim(printf('%.*c', 900000, 'a'), printf('%.*c', 900000, 'b'))";

    refuses(() -> rows(turn, "CREATE TABLE t AS SELECT " + slow), "string or blob too big");
    refuses(
        () -> rows(turn, "CREATE TABLE t AS SELECT zeroblob(900000)" + ", zeroblob(9)".repeat(90)),
        "string or blob too big");
    rows(turn, "CREATE TABLE t AS SELECT printf('%.*c', 9000, 'a') AS a, 'b' AS b");
    rows(turn, "CREATE INDEX i ON t (trim(a, b))");
    rows(turn, "ALTER TABLE t RENAME COLUMN a TO c");
    assertThat(rows(turn, "SELECT 1 FROM t WHERE trim(c, b) <> ''")).hasSize(1);
    turn.discard();
  }

  @Test
  void pragmaThatEvaluatesChecksEndsWhenItsTimeIsOver() {
    host.restart(new PassingTime(Duration.ofMillis(10)));
    commit(
        store(SqlLimits.DEFAULT.withStatementTimeMax(Duration.ofDays(1))),
        turn -> {
          rows(turn, "CREATE TABLE t (a, b, CHECK (trim(a, b) <> ''))");
          rows(turn, NUMBERS.formatted(200) + "INSERT INTO t SELECT 'a' || i, 'b' FROM n");
        });
    StoreTurn turn = store(ANY_STEPS.withStatementTimeMax(Duration.ofMillis(500))).beginTurn();

    refuses(() -> rows(turn, "PRAGMA quick_check"), "longer than PT0.5S");
    turn.discard();
  }

  /** One instruction cannot be stopped, so its values are as short as its time requires. */
  @Test
  void statementThatCallsManySlowFunctionsHasShorterValues() {
    StoreTurn turn = store(ANY_STEPS).beginTurn();
    String slow = "length(trim(?1, ?2)) + ";

    assertThat(rows(turn, "SELECT " + slow + "1", "a".repeat(16_000), "b")).hasSize(1);
    assertThat(rows(turn, "SELECT " + slow.repeat(90) + "1", "a".repeat(4_000), "b")).hasSize(1);
    refuses(
        () -> rows(turn, "SELECT " + slow.repeat(90) + "1", "a".repeat(16_000), "b"),
        "statementTimeMax");
    turn.discard();
  }

  /** It searches each character that is no digit among those to ignore, from their beginning. */
  @Test
  void unhexThatIgnoresCharactersHasShorterValues() {
    StoreTurn turn = store(ANY_STEPS).beginTurn();
    String slow = "(unhex(?1, ?2) IS NULL) + ";

    assertThat(rows(turn, "SELECT " + slow.repeat(20) + "1", "x".repeat(2_000), "x")).hasSize(1);
    refuses(
        () -> rows(turn, "SELECT " + slow.repeat(20) + "1", "x".repeat(16_000), "x"),
        "statementTimeMax");
    turn.discard();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void statementThatWritesTooManyTemporaryFilesIsStopped() {
    StoreTurn turn = store(ANY_STEPS).beginTurn();
    String much = "bytes of temporary files; see SqlLimits.temporaryBytesMax";

    refuses(() -> rows(turn, ENDLESS + "SELECT randomblob(9000) AS v FROM n ORDER BY v"), much);
    refuses(() -> rows(turn, ENDLESS + "SELECT 1 FROM n GROUP BY randomblob(9000)"), much);
    // Its rows are short steps, each of which writes.
    refuses(
        () -> drain(turn.exec(ENDLESS + "SELECT DISTINCT randomblob(9000) FROM n", NONE)), much);
    turn.discard();
  }

  @Test
  void largestLimitsBoundNothing() {
    SqlLimits limits =
        SqlLimits.DEFAULT
            .withStatementStepsMax(Long.MAX_VALUE)
            .withMemoryBytesMax(Long.MAX_VALUE)
            .withTemporaryBytesMax(Long.MAX_VALUE)
            .withDatabaseBytesMax(Long.MAX_VALUE);
    StoreTurn turn = store(limits).beginTurn();
    rows(turn, "CREATE TABLE t (v)");

    rows(turn, NUMBERS.formatted(20_000) + "INSERT INTO t SELECT randomblob(20) FROM n");

    assertThat(rows(turn, "SELECT 1 FROM t LIMIT 1")).hasSize(1);
    turn.discard();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void temporaryFilesAreCountedOnTheThreadThatWritesThem() throws Exception {
    StoreTurn turn = store(ANY_STEPS).beginTurn();
    String sql = String.format(NUMBERS, 5_000) + "SELECT DISTINCT randomblob(9000) FROM n";
    // For a virtual thread, steps run on another thread.
    FutureTask<Void> call = new FutureTask<>(() -> drain(turn.exec(sql, NONE)), null);
    Thread.ofVirtual().start(call);

    assertThatThrownBy(call::get)
        .cause()
        .isInstanceOf(SqlException.class)
        .hasMessageContaining("bytes of temporary files");
    turn.discard();
  }

  @Test
  void databaseGrowsToItsBoundAndNoFurther() {
    SqlLimits limits = SqlLimits.DEFAULT.withDatabaseBytesMax(256 * 1_024);
    byte[] value = new byte[100_000];
    commit(store(limits), turn -> turn.put(new byte[] {1}, value));
    StoreTurn full = store(limits).beginTurn();
    full.put(new byte[] {2}, value);
    assertThatExceptionOfType(StorageFailedException.class)
        .isThrownBy(() -> full.put(new byte[] {3}, value))
        .withMessageContaining("SqlLimits.databaseBytesMax");
    full.discard();

    // The whole turn is lost; the object continues, and so do others.
    StoreTurn turn = store(limits).beginTurn();
    assertThat(turn.get(new byte[] {2})).isNull();
    assertThat(turn.get(new byte[] {1})).hasSize(value.length);
    turn.delete(new byte[] {1});
    turn.put(new byte[] {2}, value);
    turn.seal();
    host.restart();
    commit(store(SqlLimits.DEFAULT), larger -> larger.put(new byte[] {3}, value));
    // A database that is already larger can be read, and made smaller.
    commit(
        store(limits.withDatabaseBytesMax(64 * 1_024)), smaller -> smaller.delete(new byte[] {3}));
  }

  @Test
  void statementOfTooManyInstructionsIsRefusedByThatReasonAndResetsNothing() {
    commit(
        store(SqlLimits.DEFAULT),
        turn -> {
          rows(turn, "CREATE TABLE t (a, b, c, d, e, f, g)");
          rows(turn, "INSERT INTO t (a) VALUES (1)");
          String row = "(1, 2, 3, 4, 5, 6, random()), ";
          refuses(
              () -> rows(turn, "INSERT INTO t VALUES " + row.repeat(3_200) + "(1,2,3,4,5,6,7)"),
              "more than 25000 instructions");
          assertThat(rows(turn, "SELECT a FROM t")).as("what the turn wrote before").hasSize(1);
        });
    List<?> kept = Objects.read(store(SqlLimits.DEFAULT), turn -> rows(turn, "SELECT a FROM t"));
    assertThat(kept).hasSize(1);
  }

  private static void drain(SqlRows rows) {
    while (rows.next() != null) {
      // until something stops it
    }
  }

  /** A clock that advances on each reading. */
  private record PassingTime(AtomicLong nanos, long stepNanos) implements TimeSource {

    PassingTime(Duration step) {
      this(new AtomicLong(), step.toNanos());
    }

    @Override
    public long wallMillis() {
      return 0;
    }

    @Override
    public long monotonicNanos() {
      return nanos.addAndGet(stepNanos);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      throw new UnsupportedOperationException();
    }
  }
}
