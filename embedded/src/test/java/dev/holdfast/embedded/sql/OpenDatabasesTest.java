package dev.holdfast.embedded.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.sql.SqlCursor;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions that call other objects while few databases may be open. */
// A failure shows as a deadlock that no interrupt ends.
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class OpenDatabasesTest {

  @TempDir private Path directory;

  private ObjectRuntime open(int databasesMax) {
    return Runtimes.open(
        directory,
        new VirtualClock(), // so no time limit of a section hides a deadlock
        objects ->
            objects
                .options(RuntimeOptions.DEFAULT.withOpenDatabasesMax(databasesMax))
                .namespace("things", Scripted.class, Scripted::of));
  }

  private static <T> T run(ObjectRuntime runtime, String name, Function<ObjectContext, T> code) {
    return Scripted.in(runtime.namespace("things", Scripted.class).getByName(name), code);
  }

  private static String put(ObjectRuntime runtime, String name, String value) {
    return run(
        runtime,
        name,
        context -> {
          context.storage().put("key", value);
          return value;
        });
  }

  private static String get(ObjectRuntime runtime, String name) {
    return run(
        runtime, name, context -> context.storage().get("key", String.class).orElse("nothing"));
  }

  /** In one transaction each: writes, and makes the next object do the same. */
  private static int chain(ObjectRuntime runtime, int index, int last) {
    return run(
        runtime,
        "chain" + index,
        context ->
            context
                .storage()
                .transaction(
                    txn -> {
                      txn.put("key", "of " + index);
                      return index == last ? last : chain(runtime, index + 1, last);
                    }));
  }

  @Test
  void transactionCallsAnotherObjectThoughOneDatabaseMayBeOpen() {
    try (ObjectRuntime runtime = open(1)) {
      assertThat(chain(runtime, 0, 9)).isEqualTo(9);

      for (int i = 0; i < 10; i++) {
        assertThat(get(runtime, "chain" + i)).isEqualTo("of " + i);
      }
    }
  }

  @Test
  void asManyTransactionsAsDatabasesMayBeOpenCallOthersAtOnce() throws Exception {
    int count = 4;
    try (ObjectRuntime runtime = open(count)) {
      for (int round = 0; round < 3; round++) {
        CyclicBarrier allHaveWritten = new CyclicBarrier(count);
        List<CompletableFuture<String>> calls =
            IntStream.range(0, count)
                .mapToObj(
                    i ->
                        CompletableFuture.supplyAsync(
                            () -> transfer(runtime, i, allHaveWritten), Thread::startVirtualThread))
                .toList();
        for (CompletableFuture<String> call : calls) {
          assertThat(call.get()).isEqualTo("done");
        }
      }
      for (int i = 0; i < count; i++) {
        assertThat(get(runtime, "from" + i)).isEqualTo("sent");
        assertThat(get(runtime, "to" + i)).isEqualTo("got");
      }
    }
  }

  private static String transfer(ObjectRuntime runtime, int i, CyclicBarrier allHaveWritten) {
    return run(
        runtime,
        "from" + i,
        context ->
            context
                .storage()
                .transaction(
                    txn -> {
                      txn.put("key", "sent");
                      await(allHaveWritten);
                      put(runtime, "to" + i, "got");
                      return "done";
                    }));
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** The cursor read its rows through its earlier connection, which is closed by then. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT x FROM t ORDER BY -x",
        "SELECT x, count(*) FROM t GROUP BY x",
        "SELECT t.x FROM t, t AS u",
        "SELECT max(x) OVER (ORDER BY x) FROM t"
      })
  void cursorThatWasLeftUnreadHindersNobodyWhenItsDatabaseIsClosed(String query) {
    AtomicReference<SqlCursor> left = new AtomicReference<>();
    AtomicLong readOfLeft = new AtomicLong();
    try (ObjectRuntime runtime = open(1)) {
      run(
          runtime,
          "a",
          context -> {
            SqlStorage sql = context.storage().sql();
            sql.exec("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)");
            SqlCursor cursor = sql.exec(query);
            left.set(cursor);
            readOfLeft.set(cursor.rowsRead());
            return cursor.next();
          });
      put(runtime, "b", "value"); // closes the database of a

      run(
          runtime,
          "a",
          context -> {
            SqlStorage sql = context.storage().sql();
            assertThat(sql.exec("SELECT count(*) FROM t").raw().one()).isEqualTo(List.of(3L));
            assertThat(left.get().rowsRead()).isGreaterThanOrEqualTo(readOfLeft.get());
            assertThat(sql.rowsRead()).isGreaterThanOrEqualTo(3 + readOfLeft.get());
            return sql;
          });
    }
  }
}
