package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The first sealed values that a turn read or learned: reading, changing and writing a value is
 * common, and the undo then needs no second read.
 *
 * <p>Owned by the thread that runs the turn.
 */
final class ReadValues {

  private @Nullable NavigableMap<byte[], Optional<byte[]>> values;

  /** {@return the sealed value of a key, or null; remembered, if there is room} */
  byte @Nullable [] get(byte[] name, RocksDbStore store) {
    NavigableMap<byte[], Optional<byte[]>> present = values;
    Optional<byte[]> known = present == null ? null : present.get(name);
    if (known != null) {
      return known.orElse(null);
    }
    byte[] value = store.get(name);
    learn(name, value);
    return value;
  }

  /** Remembers the sealed value of a key, null for none, if there is room. */
  void learn(byte[] name, byte @Nullable [] value) {
    NavigableMap<byte[], Optional<byte[]>> present = values;
    if (present == null) {
      present = new TreeMap<>(Keys.ORDER);
      values = present;
    }
    if (present.size() < RocksDbBounds.KNOWN_VALUES_MAX) {
      present.putIfAbsent(name, Optional.ofNullable(value));
    }
  }
}
