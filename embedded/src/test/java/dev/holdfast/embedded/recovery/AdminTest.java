package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Scripted;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Administration of objects on SQLite: the contract, and statements that run. */
class AdminTest extends AdminContract {

  @Override
  StorageKind storage() {
    return StorageKind.SQLITE;
  }

  @Test
  void statementThatRunsIsStopped() throws Exception {
    try (ObjectRuntime runtime = open()) {
      Anything thing = thing(runtime, "a");
      String first = put(thing, "key", "first");
      put(thing, "key", "second");
      CountDownLatch runs = new CountDownLatch(1);
      FutureTask<Object> statement =
          new FutureTask<>(
              () ->
                  thing.run(
                      context -> {
                        runs.countDown();
                        while (true) {
                          context
                              .storage()
                              .sql()
                              .exec(
                                  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c"
                                      + " LIMIT 1000000) SELECT count(*) FROM c")
                              .one();
                        }
                      }));
      Thread.ofVirtual().start(statement);
      runs.await();

      runtime
          .admin()
          .restoreNow("things", runtime.namespace("things", Scripted.class).idFromName("a"), first);

      assertThat(get(thing, "key")).isEqualTo("first");
      assertThatThrownBy(statement::get)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(InstanceResetException.class);
    }
  }
}
