package dev.holdfast.backend.rocksdb;

import dev.holdfast.contract.BackendContract;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import java.nio.file.Path;
import java.time.Duration;

/** Batches go into the database as soon as they are sealed, beside the test. */
final class EagerApplyBackendContractTest extends BackendContract {

  private final StorageThreads threads = new StorageThreads(2);

  @Override
  protected StorageBackend openBackend(Journal journal, Path directory) {
    return RocksDbBackend.open(
        directory,
        new RocksDbBackend.Host(new DurableOnAppend(journal), threads, new EagerTime()),
        RocksDbOptions.DEFAULT.withApplyDelay(Duration.ZERO).withBlockCacheBytes(1 << 20));
  }

  @Override
  protected void awaitBackgroundWork(StorageBackend backend) {
    Quiet.await(backend);
  }
}
