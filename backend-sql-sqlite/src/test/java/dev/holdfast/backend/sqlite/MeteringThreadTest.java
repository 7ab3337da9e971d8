package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table is counted where long statements run: others need the carrier of a turn. */
final class MeteringThreadTest {

  private static final Object[] NONE = {};

  @TempDir private Path root;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM t WHERE v > 2",
        "SELECT sum(v) FROM t",
        "SELECT count(*) FROM t WHERE v > 2",
        "SELECT * FROM t ORDER BY v LIMIT 2",
        "SELECT * FROM t a JOIN t b ON a.v = b.v",
        "SELECT * FROM t UNION ALL SELECT * FROM t",
        "UPDATE t SET v = v + 1",
        "DELETE FROM t WHERE v = 2 RETURNING v"
      })
  void tableIsCountedOnNoVirtualThread(String sql) throws Exception {
    FaultySqlite library = new FaultySqlite();
    SqliteBackend.Access access = new SqliteBackend.Access(new FileDisk(), library);
    try (SqliteHost host = new SqliteHost(root, 2, access, Durability.ON_WAIT)) {
      commit(
          host.store(1),
          turn -> turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2), (3)", NONE));
      StoreTurn turn = host.store(1).beginTurn();
      FutureTask<Long> call = new FutureTask<>(() -> rowsRead(turn, sql));
      Thread.ofVirtual().start(call);

      assertThat(call.get()).isGreaterThanOrEqualTo(3);
      turn.discard();
      assertThat(library.onVirtualThreads())
          .noneMatch(each -> each.startsWith("SELECT count(*) FROM main."));
    }
  }

  @Test
  void tableOfACursorThatIsStillOpenIsCountedOnNoVirtualThread() throws Exception {
    FaultySqlite library = new FaultySqlite();
    SqliteBackend.Access access = new SqliteBackend.Access(new FileDisk(), library);
    try (SqliteHost host = new SqliteHost(root, 2, access, Durability.ON_WAIT)) {
      commit(
          host.store(1),
          turn -> turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2), (3)", NONE));
      StoreTurn turn = host.store(1).beginTurn();
      FutureTask<Long> call =
          new FutureTask<>(
              () -> {
                SqlRows rows = turn.exec("SELECT * FROM t ORDER BY v", NONE);
                rows.next();
                return rows.rowsRead();
              });
      Thread.ofVirtual().start(call);

      assertThat(call.get()).isGreaterThanOrEqualTo(3);
      turn.discard();
      assertThat(library.onVirtualThreads())
          .noneMatch(each -> each.startsWith("SELECT count(*) FROM main."));
    }
  }

  private static long rowsRead(StoreTurn turn, String sql) {
    SqlRows rows = turn.exec(sql, NONE);
    while (rows.next() != null) {
      // Only the counters matter.
    }
    return rows.rowsRead();
  }
}
