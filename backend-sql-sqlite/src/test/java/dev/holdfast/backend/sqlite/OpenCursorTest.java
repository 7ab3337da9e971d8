package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.commit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.SqlException;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.SqlRows;
import dev.holdfast.spi.StoreTurn;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cursors that are not read to their end. */
final class OpenCursorTest {

  private static final Object[] NONE = {};

  @TempDir private Path root;

  @Test
  void cursorsLeftOpenDoNotKeepTheLogFromBeingSaved() {
    try (SqliteHost host = new SqliteHost(root, 4)) {
      ObjectStore store = host.store(1);
      commit(
          store, turn -> turn.exec("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2), (3)", NONE));
      StoreTurn turn = store.beginTurn();
      SqlRows left = turn.exec("SELECT v FROM t", NONE);
      turn.exec("INSERT INTO t VALUES (4)", NONE);
      left.next();
      long last = turn.seal();

      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();

      assertThat(host.backend.lowWaterMark()).isGreaterThan(last);
      assertThatExceptionOfType(SqlException.class).isThrownBy(left::next);
    }
  }
}
