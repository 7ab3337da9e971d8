package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.TimeSource;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.sql.SqlLimits;
import dev.holdfast.sql.SqlMigration;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Long-running statements, on threads that no other work waits for. */
final class SqlThreadsTest {

  /** As many threads as a runtime has for SQL, and more statements than carriers anywhere. */
  private static final int STATEMENTS = 8;

  private static final String ENDLESS =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

  @TempDir private Path directory;

  /**
   * Every runtime operation of callers on virtual threads completes while each SQL thread is held
   * by a statement: if one of those, or a carrier, were needed, this test would not end.
   */
  @Test
  void whileEachThreadForSqlIsHeldOthersPutOpenSaveAndClose() throws Exception {
    HeldStatements held = new HeldStatements(STATEMENTS);
    Executor virtual = Thread::startVirtualThread;
    NamespaceOptions unbounded =
        NamespaceOptions.DEFAULT
            .withMigrations(
                List.of(new SqlMigration("t", "CREATE TABLE t (v); CREATE INDEX i ON t (v)")))
            .withSqlLimits(SqlLimits.DEFAULT.withStatementStepsMax(1_000_000));
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory,
            held,
            objects ->
                objects
                    // So few that other databases must be saved and closed to make room.
                    .options(RuntimeOptions.DEFAULT.withOpenDatabasesMax(STATEMENTS + 1))
                    .namespace("db", Scripted.class, Scripted::of, unbounded))) {
      ObjectNamespace<Scripted> objects = runtime.namespace("db", Scripted.class);
      List<CompletableFuture<?>> runaways = new ArrayList<>();
      for (int number = 0; number < STATEMENTS; number++) {
        Scripted object = objects.getByName("runaway-" + number);
        runaways.add(
            CompletableFuture.runAsync(
                () ->
                    Scripted.in(
                        object, context -> context.storage().sql().exec(ENDLESS).toList().size()),
                virtual));
      }
      held.awaitAll();

      for (int number = 0; number < 3 * STATEMENTS; number++) {
        Scripted object = objects.getByName("other-" + number);
        long value = number;
        // Opens the object, closes another one for it, and waits until the put is durable.
        CompletableFuture.runAsync(
                () ->
                    Scripted.in(
                        object,
                        context -> {
                          context.storage().put("a", value);
                          context.storage().sql().exec("INSERT INTO t VALUES (?)", value);
                          return value;
                        }),
                virtual)
            .join();
      }
      Scripted first = objects.getByName("other-0");
      assertThat(
              CompletableFuture.supplyAsync(
                      () ->
                          Scripted.in(
                              first,
                              context ->
                                  context
                                      .storage()
                                      .sql()
                                      .exec("SELECT v FROM t")
                                      .one()
                                      .getLong("v")),
                      virtual)
                  .join())
          .isZero();
      assertThat(runaways).noneMatch(CompletableFuture::isDone);

      held.letGo();
      for (CompletableFuture<?> runaway : runaways) {
        assertThatThrownBy(runaway::join).hasMessageContaining("more than 1000000 instructions");
      }
    }
  }

  /** A clock that blocks statements when they read the time, until they are released. */
  private static final class HeldStatements implements TimeSource {

    private final VirtualClock clock = new VirtualClock();
    private final CountDownLatch asked;
    private final CountDownLatch released = new CountDownLatch(1);

    HeldStatements(int count) {
      this.asked = new CountDownLatch(count);
    }

    void awaitAll() throws InterruptedException {
      asked.await();
    }

    void letGo() {
      released.countDown();
    }

    @Override
    public long wallMillis() {
      return clock.wallMillis();
    }

    @Override
    public long monotonicNanos() {
      if (Thread.currentThread().getName().startsWith("holdfast-sql-")) {
        asked.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      return clock.monotonicNanos();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      return clock.schedule(delayNanos, task);
    }
  }
}
