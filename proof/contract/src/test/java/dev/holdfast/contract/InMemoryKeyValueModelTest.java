package dev.holdfast.contract;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.testkit.InMemoryBackend;
import java.nio.file.Path;

final class InMemoryKeyValueModelTest extends KeyValueModel {

  @Override
  protected StorageBackend openBackend(Journal journal, Path directory) {
    return new InMemoryBackend(journal);
  }
}
