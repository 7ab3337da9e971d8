package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.statistics.RocksDbStatistics;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each number of RocksDB, provoked and seen to move. */
final class RocksDbStatisticsTest {

  @TempDir Path parent;
  private final StorageThreads threads = new StorageThreads(1);

  @AfterEach
  void endThreads() {
    threads.close();
  }

  @Test
  void batchesArePendingUntilTheyAreAppliedAndThenInTheMemtable() {
    new BoundDatabase(parent, threads)
        .with(
            backend -> {
              RocksDbStatistics before = backend.statistics();
              assertThat(before.pendingBatches()).isZero();
              assertThat(before.pendingBytes()).isZero();

              put(backend, 200_000);
              RocksDbStatistics pending = backend.statistics();
              assertThat(pending.pendingBatches()).isEqualTo(1);
              assertThat(pending.pendingBytes()).isBetween(200_000L, 202_000L);

              backend.applier().settle();
              RocksDbStatistics applied = backend.statistics();
              assertThat(applied.pendingBatches()).isZero();
              assertThat(applied.pendingBytes()).isZero();
              assertThat(applied.memtableBytes())
                  .isGreaterThanOrEqualTo(before.memtableBytes() + 200_000);
              assertThat(applied.minus(before).flushedBytes()).isZero();
            });
  }

  @Test
  void flushMovesBytesFromTheMemtableToTables() {
    BoundDatabase database = new BoundDatabase(parent, threads);
    RocksDbBackend[] kept = new RocksDbBackend[1];
    database.with(
        backend -> {
          kept[0] = backend;
          put(backend, 200_000);
          backend.applier().settle();
          RocksDbStatistics before = backend.statistics();
          flush(backend);
          RocksDbStatistics after = backend.statistics();
          assertThat(after.memtableBytes()).isLessThan(before.memtableBytes() - 150_000);
          assertThat(after.minus(before).flushedBytes()).isBetween(199_000L, 210_000L);
          assertThat(after.tableBytes()).isGreaterThan(before.tableBytes() + 199_000);
        });
    RocksDbStatistics closed = kept[0].statistics();
    assertThat(closed.tableBytes()).isGreaterThan(199_000);
    assertThat(closed.flushedBytes()).isGreaterThan(199_000);
  }

  @Test
  void readsFromFilesMissTheBlockCacheOnceAndHitItThen() {
    BoundDatabase database = new BoundDatabase(parent, threads);
    database.put("a", "b");
    database.with(
        backend -> {
          RocksDbStatistics before = backend.statistics();
          BoundDatabase.get(backend, "a");
          RocksDbStatistics missed = backend.statistics();
          assertThat(missed.minus(before).blockCacheMisses()).isPositive();
          assertThat(missed.blockCacheBytes()).isGreaterThan(before.blockCacheBytes());

          BoundDatabase.get(backend, "b");
          RocksDbStatistics hit = backend.statistics().minus(missed);
          assertThat(hit.blockCacheMisses()).isZero();
          assertThat(hit.blockCacheHits()).isPositive();
        });
  }

  @Test
  void compactionIsCounted() {
    new BoundDatabase(parent, threads)
        .with(
            backend -> {
              // RocksDB compacts four files of the same keys, in the background; those of the last
              // batches of objects are small, and may come first.
              for (int i = 0; i < 100 && backend.statistics().compactedBytes() < 190_000; i++) {
                put(backend, 200_000 + i);
                backend.applier().settle();
                flush(backend);
                Quiet.await(backend);
              }
              assertThat(backend.statistics().compactedBytes()).isGreaterThan(190_000L);
              assertThat(backend.statistics().stallNanos()).isZero();
            });
  }

  @Test
  void redoneBatchesAreCounted() {
    BoundDatabase database = new BoundDatabase(parent, threads);
    database.put("a");
    Map<String, byte[]> older = Directory.read(database.directory());
    database.put("b", "c");
    Directory.write(database.directory(), older);
    database.with(backend -> assertThat(backend.statistics().redoneBatches()).isEqualTo(2));
    database.with(backend -> assertThat(backend.statistics().redoneBatches()).isZero());
  }

  private static void put(RocksDbBackend backend, int bytes) {
    byte[] value = new byte[bytes];
    new java.util.Random(bytes).nextBytes(value); // not to be compressed
    StoreTurn turn = backend.store(BoundDatabase.KEY).beginTurn();
    turn.put(BoundDatabase.bytes("key"), value);
    turn.seal();
  }

  private static void flush(RocksDbBackend backend) {
    try {
      backend.database().flush();
    } catch (org.rocksdb.RocksDBException e) {
      throw new AssertionError(e);
    }
  }
}
