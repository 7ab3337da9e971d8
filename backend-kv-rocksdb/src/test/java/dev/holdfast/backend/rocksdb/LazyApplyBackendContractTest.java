package dev.holdfast.backend.rocksdb;

import dev.holdfast.contract.BackendContract;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;

/** Batches stay pending until something asks for them: the clock stands still. */
final class LazyApplyBackendContractTest extends BackendContract {

  private final StorageThreads threads = new StorageThreads(2);

  @Override
  protected StorageBackend openBackend(Journal journal, Path directory) {
    return RocksDbBackend.open(
        directory,
        new RocksDbBackend.Host(journal, threads, new VirtualClock()),
        RocksDbOptions.DEFAULT.withApplyDelay(Duration.ofMillis(20)).withBlockCacheBytes(1 << 20));
  }

  @Override
  protected void awaitBackgroundWork(StorageBackend backend) {
    Quiet.await(backend);
  }
}
