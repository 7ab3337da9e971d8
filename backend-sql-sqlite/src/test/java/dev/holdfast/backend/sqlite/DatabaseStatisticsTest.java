package dev.holdfast.backend.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.SqlException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.statistics.StorageEvents;
import dev.holdfast.statistics.DatabaseStatistics;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each number of the databases, provoked and seen to move. */
final class DatabaseStatisticsTest {

  private static final Object[] NONE = {};

  @TempDir Path root;

  private final VirtualClock clock = new VirtualClock();

  /** From some moment on, each sync of an object's file is held back and takes 3 ms. */
  private final class SlowDisk extends ForwardingDisk {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch allowed = new CountDownLatch(1);
    private volatile boolean held;

    SlowDisk() {
      super(new FileDisk());
    }

    @Override
    protected void force(Path path, DiskFile file) throws IOException {
      String name = path.getFileName().toString();
      if (held && name.endsWith(".sqlite") && !name.startsWith("catalog")) {
        begun.countDown();
        awaitUninterruptibly(allowed);
        clock.advance(Duration.ofMillis(3));
      }
      super.force(path, file);
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** What was recorded, as text. */
  private static final class Recorded implements StorageEvents {
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());

    @Override
    public Save save() {
      return (key, position) -> events.add("save of " + key.id().name() + " up to " + position);
    }

    @Override
    public Statement statement() {
      return (key, sql) -> events.add(sql);
    }
  }

  private static void write(ObjectStore store) {
    StoreTurn turn = store.beginTurn();
    turn.exec("CREATE TABLE IF NOT EXISTS t(x)", NONE);
    turn.exec("INSERT INTO t VALUES (1)", NONE);
    turn.seal();
  }

  @Test
  void openingsAndClosingsAreCounted() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      assertThat(host.backend.statistics()).isEqualTo(DatabaseStatistics.NONE);
      write(host.store(1));
      write(host.store(2));
      assertThat(host.backend.statistics().openings()).isEqualTo(2);
      assertThat(host.backend.statistics().open()).isEqualTo(2);
      assertThat(host.backend.statistics().closings()).isZero();

      write(host.store(3));
      DatabaseStatistics statistics = host.backend.statistics();
      assertThat(statistics.openings()).isEqualTo(3);
      assertThat(statistics.open()).isEqualTo(2);
      assertThat(statistics.closings()).isEqualTo(1);

      host.backend.close();
      DatabaseStatistics closed = host.backend.statistics();
      assertThat(closed.open()).isZero();
      assertThat(closed.closings()).isEqualTo(3);
      assertThat(closed.saves()).isEqualTo(3);
      assertThat(closed.unsaved()).isZero();
      host.reopen();
    }
  }

  @Test
  void savesTheirTimeAndTheirLagAreMeasured() {
    SlowDisk disk = new SlowDisk();
    Recorded recorded = new Recorded();
    SqliteBackend.Access access = new SqliteBackend.Access(disk, SqliteLibrary.jdbc(), recorded);
    try (SqliteHost host = new SqliteHost(root, 2, access, Durability.ON_APPEND)) {
      host.restart(clock);
      write(host.store(1));
      write(host.store(2));
      DatabaseStatistics unsaved = host.backend.statistics();
      assertThat(unsaved.unsaved()).isEqualTo(2);
      assertThat(unsaved.saveLag()).isEqualTo(2);
      assertThat(unsaved.saveLagNanos()).isZero();
      assertThat(unsaved.saves()).isZero();

      disk.held = true;
      host.backend.checkpointBefore(2); // needs the first object only
      awaitUninterruptibly(disk.begun);
      clock.advance(Duration.ofSeconds(7));
      assertThat(host.backend.statistics().saveLagNanos()).isEqualTo(7_000_000_000L);
      disk.allowed.countDown();
      host.backend.awaitIdle();
      DatabaseStatistics saved = host.backend.statistics();
      assertThat(saved.saves()).isEqualTo(1);
      assertThat(saved.saveNanos().sum()).isEqualTo(7_003_000_000L);
      assertThat(saved.unsaved()).isEqualTo(1);
      assertThat(saved.saveLagNanos()).isZero();
      assertThat(recorded.events).filteredOn(each -> each.startsWith("save")).hasSize(1);
    }
  }

  @Test
  void redoneBatchesAreCounted() {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      write(host.store(1));
      write(host.store(1));
      write(host.store(2));
      host.crashAt(host.journal.lastPosition());
      assertThat(host.backend.statistics().redoneBatches()).isEqualTo(3);
      host.restart();
      assertThat(host.backend.statistics().redoneBatches()).isZero();
    }
  }

  @Test
  void statementsAreReportedWithTheirTextAndWithoutTheirParameters() {
    Recorded recorded = new Recorded();
    SqliteBackend.Access access =
        new SqliteBackend.Access(new FileDisk(), SqliteLibrary.jdbc(), recorded);
    try (SqliteHost host = new SqliteHost(root, 2, access, Durability.ON_WAIT)) {
      ObjectKey key = Objects.object(1);
      StoreTurn turn = host.backend.store(key).beginTurn();
      turn.exec("CREATE TABLE t(x)", NONE);
      turn.exec("INSERT INTO t VALUES (?)", new Object[] {"secret"});
      assertThatThrownBy(() -> turn.exec("DELETE FROM t WHERE abs(x, 2)", NONE))
          .isInstanceOf(SqlException.class);
      turn.seal();
      assertThat(recorded.events)
          .containsExactly(
              "CREATE TABLE t(x)", "INSERT INTO t VALUES (?)", "DELETE FROM t WHERE abs(x, 2)");
    }
  }
}
