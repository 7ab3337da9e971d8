package dev.holdfast.backend.rocksdb;

import dev.holdfast.contract.KeyValueModel;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Every other time it is opened, the backend gives its batches to the database at once, or late.
 */
final class MixedApplyKeyValueModelTest extends KeyValueModel {

  private static final RocksDbOptions SMALL =
      RocksDbOptions.DEFAULT.withApplyDelay(Duration.ZERO).withBlockCacheBytes(1 << 20);

  private final StorageThreads threads = new StorageThreads(2);
  private int opened;

  @Override
  protected StorageBackend openBackend(Journal journal, Path directory) {
    return RocksDbBackend.open(
        directory,
        opened++ % 2 == 0
            ? new RocksDbBackend.Host(journal, threads, new VirtualClock())
            : new RocksDbBackend.Host(new DurableOnAppend(journal), threads, new EagerTime()),
        SMALL);
  }

  @Override
  protected void awaitBackgroundWork(StorageBackend backend) {
    Quiet.await(backend);
  }
}
