package dev.holdfast.contract;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.testkit.InMemoryBackend;
import java.nio.file.Path;

final class InMemoryBackendContractTest extends BackendContract {

  @Override
  protected StorageBackend openBackend(Journal journal, Path directory) {
    return new InMemoryBackend(journal);
  }
}
