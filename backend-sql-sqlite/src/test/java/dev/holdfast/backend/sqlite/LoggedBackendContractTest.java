package dev.holdfast.backend.sqlite;

import dev.holdfast.contract.BackendContract;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;

/** The contract with databases that are all opened as files with a log. */
final class LoggedBackendContractTest extends BackendContract {

  private static final StorageThreads THREADS = new StorageThreads(4);

  @AfterAll
  static void endThreads() {
    THREADS.close();
  }

  @Override
  protected StorageBackend openBackend(Journal journal, Path directory) {
    return new SqliteBackend(
        journal,
        THREADS,
        new VirtualClock(),
        new FileDisk(),
        new SqliteOptions(directory.resolve("sqlite"), 100, null, /* memoryBytesMax= */ 0));
  }

  @Override
  protected void awaitBackgroundWork(StorageBackend backend) {
    ((SqliteBackend) backend).awaitIdle();
  }
}
