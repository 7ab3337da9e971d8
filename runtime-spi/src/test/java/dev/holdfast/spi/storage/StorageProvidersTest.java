package dev.holdfast.spi.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StorageKind;
import dev.holdfast.spi.StorageBackend;
import java.util.List;
import java.util.ServiceConfigurationError;
import org.junit.jupiter.api.Test;

class StorageProvidersTest {

  private record Named(StorageKind kind, int viewId) implements StorageProvider {
    Named(String name, int viewId) {
      this(StorageKind.of(name), viewId);
    }

    @Override
    public StorageBackend open(Opening opening) {
      throw new UnsupportedOperationException("No test opens it.");
    }
  }

  private static void requireRefused(String message, StorageProvider... found) {
    assertThatThrownBy(() -> StorageProviders.byName(List.of(found)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(message);
  }

  @Test
  void backendsHaveNamesAndIdsOfTheirOwn() {
    Named rocksDb = new Named("rocksdb", 2);
    Named first = new Named("first", 64);
    Named second = new Named("second", 252);

    assertThat(StorageProviders.byName(List.of(rocksDb, first, second)))
        .containsEntry("ROCKSDB", rocksDb)
        .containsEntry("FIRST", first)
        .containsEntry("SECOND", second)
        .hasSize(3);

    requireRefused("same name or view id", first, new Named("other", 64));
    requireRefused("same name or view id", first, new Named("FIRST", 65));
    requireRefused("from 64 to 252", new Named("sqlite", 64));
    requireRefused("from 64 to 252", new Named("sqlite", 1));
    requireRefused("from 64 to 252", new Named("rocksdb", 64));
    requireRefused("from 64 to 252", new Named("first", 2));
    requireRefused("from 64 to 252", new Named("first", 63));
    requireRefused("from 64 to 252", new Named("first", 253));
  }

  @Test
  void providerThatCannotBeMadeIsNamed() {
    Iterable<StorageProvider> broken =
        () -> {
          throw new ServiceConfigurationError("outside.Broken is not there");
        };
    assertThatThrownBy(() -> StorageProviders.byName(broken))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("outside.Broken is not there");
  }
}
