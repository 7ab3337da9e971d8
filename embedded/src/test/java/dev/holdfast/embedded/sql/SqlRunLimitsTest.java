package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.SqlException;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits of statements, and how statements are stopped that run too long. */
final class SqlRunLimitsTest {

  private static final String ENDLESS =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

  private final Path directory;
  private final SqlObject object;

  SqlRunLimitsTest(@TempDir Path directory) {
    this.directory = directory;
    object = new SqlObject(directory);
  }

  @Test
  void runawayStatementIsStopped() {
    SqlLimits limits = SqlLimits.DEFAULT.withStatementStepsMax(1_000_000);
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      SqlObject.in(
          runtime,
          context -> {
            SqlStorage sql = context.storage().sql();
            sql.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1)");
            assertThatThrownBy(() -> sql.exec(ENDLESS))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("more than 1000000 instructions");
            assertThat(sql.exec("SELECT v FROM t").one().getLong("v")).isEqualTo(1);
          });
      // A statement that writes ends the transaction too: the object is reset, with its writes.
      assertThatExceptionOfType(InstanceResetException.class)
          .isThrownBy(
              () ->
                  SqlObject.in(
                      runtime,
                      context -> {
                        SqlStorage sql = context.storage().sql();
                        sql.exec("INSERT INTO t VALUES (2)");
                        sql.exec("INSERT INTO t " + ENDLESS);
                      }));
      SqlObject.in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT v FROM t").toList()).hasSize(1));
    }
  }

  @Test
  void runawayStatementThatReturnsRowsIsStoppedToo() {
    SqlLimits limits = SqlLimits.DEFAULT.withStatementStepsMax(100_000);
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      SqlObject.in(
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
            // Each statement has its own budget, however much others have taken.
            for (int i = 0; i < 3; i++) {
              assertThat(sql.exec("SELECT 1 AS one").one().getLong("one")).isEqualTo(1);
            }
          });
    }
  }

  private static CompletableFuture<Void> startIn(
      ObjectRuntime runtime, Consumer<ObjectContext> code) {
    return CompletableFuture.runAsync(
        () -> SqlObject.in(runtime, code), Thread.ofPlatform()::start);
  }

  @Test
  void abortStopsARunningStatement() throws Exception {
    SqlLimits limits = SqlLimits.DEFAULT.withStatementStepsMax(Long.MAX_VALUE);
    Duration timeLimit = Duration.ofSeconds(5);
    NamespaceOptions options =
        NamespaceOptions.DEFAULT.withSqlLimits(limits).withCriticalSectionTimeout(timeLimit);
    VirtualClock clock = new VirtualClock();
    CountDownLatch begun = new CountDownLatch(1);
    try (ObjectRuntime runtime = object.open(clock, options)) {
      CompletableFuture<Void> call =
          startIn(
              runtime,
              context ->
                  context.blockConcurrencyWhile(
                      () -> {
                        begun.countDown();
                        return context.storage().sql().exec(ENDLESS);
                      }));
      begun.await();
      // The section's time runs out while its statement runs for ever: the reset stops it.
      clock.advance(timeLimit);
      assertThatThrownBy(call::join)
          .hasCauseInstanceOf(InstanceResetException.class)
          .hasMessageContaining("critical section");
    }
  }

  @Test
  void closeOfTheRuntimeStopsARunningStatement() throws Exception {
    NamespaceOptions unbounded =
        NamespaceOptions.DEFAULT.withSqlLimits(
            SqlLimits.DEFAULT.withStatementStepsMax(Long.MAX_VALUE));
    Duration closeTimeout = Duration.ofNanos(1); // sooner than any other timer
    VirtualClock clock = new VirtualClock();
    ObjectRuntime runtime =
        Runtimes.open(
            directory,
            clock,
            objects ->
                objects
                    .options(RuntimeOptions.DEFAULT.withCloseTimeout(closeTimeout))
                    .namespace("db", Scripted.class, Scripted::of, unbounded));
    SqlObject.in(runtime, context -> context.storage().sql().exec("CREATE TABLE t (v)"));
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Void> call =
        startIn(
            runtime,
            context -> {
              SqlStorage sql = context.storage().sql();
              sql.exec("INSERT INTO t VALUES (1)");
              begun.countDown();
              sql.exec(ENDLESS);
            });
    begun.await();
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(runtime::close, Thread.ofPlatform()::start);
    while (clock.untilNextTimer().filter(closeTimeout::equals).isEmpty()) {
      Thread.onSpinWait(); // close does not wait for the call yet
    }
    clock.advanceToNextTimer();
    closed.join();

    assertThatThrownBy(call::join)
        .hasCauseInstanceOf(InstanceResetException.class)
        .hasMessageContaining("the runtime was closed");
    try (ObjectRuntime next = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(
          next,
          context ->
              assertThat(context.storage().sql().exec("SELECT v FROM t").toList()).isEmpty());
    }
  }

  /** While a statement runs, no other event of its object runs; during a wait one may abort it. */
  @Test
  void abortOfAnotherEventEndsAStatementThatIsOpenOverAWait() throws Exception {
    CountDownLatch waiting = new CountDownLatch(1);
    AtomicBoolean wentOn = new AtomicBoolean();
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT)) {
      SqlObject.in(runtime, context -> context.storage().sql().exec("CREATE TABLE t (v)"));
      CompletableFuture<Void> call =
          CompletableFuture.runAsync(
              () ->
                  SqlObject.in(
                      runtime,
                      context -> {
                        SqlCursor cursor = SqlObject.threeRows(context.storage().sql());
                        cursor.next();
                        waiting.countDown();
                        context.await(new CompletableFuture<>());
                        wentOn.set(true);
                        cursor.next();
                      }));
      waiting.await();
      assertThatExceptionOfType(InstanceResetException.class)
          .isThrownBy(
              () ->
                  SqlObject.in(
                      runtime,
                      context -> {
                        context.storage().sql().exec("INSERT INTO t VALUES (1)");
                        throw context.abort("enough");
                      }))
          .withMessageContaining("enough");
      assertThatThrownBy(call::join)
          .hasCauseInstanceOf(InstanceResetException.class)
          .hasMessageContaining("enough");
      assertThat(wentOn).isFalse();
      SqlObject.in(
          runtime,
          context ->
              assertThat(context.storage().sql().exec("SELECT v FROM t").toList()).isEmpty());
    }
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
    try (ObjectRuntime runtime = object.open(NamespaceOptions.DEFAULT.withSqlLimits(limits))) {
      SqlObject.in(
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
}
