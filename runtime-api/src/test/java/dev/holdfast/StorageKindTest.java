package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StorageKindTest {

  @Test
  void nameSaysWhichStorageItIs() {
    assertThat(StorageKind.of("rocksdb"))
        .isEqualTo(StorageKind.ROCKSDB)
        .hasSameHashCodeAs(StorageKind.ROCKSDB)
        .hasToString("ROCKSDB");
    assertThat(StorageKind.of("memory_2").name()).isEqualTo("MEMORY_2");
    assertThat(StorageKind.of("A".repeat(32))).isNotEqualTo(StorageKind.SQLITE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "2nd", "_a", "a-b", "a/b", "a b", "\u00e9", "\u0131", "a\n"})
  void malformedNameIsRefused(String name) {
    assertThatThrownBy(() -> StorageKind.of(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + name + "\"");
    assertThatThrownBy(() -> StorageKind.of("a".repeat(33)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
