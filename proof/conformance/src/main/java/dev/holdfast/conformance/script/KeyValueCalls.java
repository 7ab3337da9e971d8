package dev.holdfast.conformance.script;

import dev.holdfast.clone.JsUndefined;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.TransactionalStorage;
import dev.holdfast.storage.WriteOptions;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** The operations that the storage and a transaction share. */
interface KeyValueCalls {

  @Nullable Object get(String key, ReadOptions options);

  SequencedMap<String, Object> get(Collection<String> keys, ReadOptions options);

  void put(String key, Object value, WriteOptions options);

  void put(Map<String, ?> entries, WriteOptions options);

  boolean delete(String key, WriteOptions options);

  int delete(Collection<String> keys, WriteOptions options);

  SequencedMap<String, Object> list(ListOptions options);

  Optional<Instant> getAlarm(ReadOptions options);

  void setAlarm(Instant time, WriteOptions options);

  void deleteAlarm(WriteOptions options);

  /** An {@code Optional} cannot distinguish a stored null from a missing value: reads twice. */
  static @Nullable Object orUndefined(
      Optional<Object> value, String key, SequencedMap<String, Object> again) {
    if (value.isPresent()) {
      return value.get();
    }
    return again.containsKey(key) ? again.get(key) : JsUndefined.UNDEFINED;
  }

  static KeyValueCalls of(TransactionalStorage storage) {
    return new KeyValueCalls() {
      @Override
      public @Nullable Object get(String key, ReadOptions options) {
        Optional<Object> value = storage.get(key, Object.class, options);
        return orUndefined(value, key, storage.get(List.of(key), Object.class, options));
      }

      @Override
      public SequencedMap<String, Object> get(Collection<String> keys, ReadOptions options) {
        return storage.get(keys, Object.class, options);
      }

      @Override
      public void put(String key, Object value, WriteOptions options) {
        storage.put(key, value, options);
      }

      @Override
      public void put(Map<String, ?> entries, WriteOptions options) {
        storage.put(entries, options);
      }

      @Override
      public boolean delete(String key, WriteOptions options) {
        return storage.delete(key, options);
      }

      @Override
      public int delete(Collection<String> keys, WriteOptions options) {
        return storage.delete(keys, options);
      }

      @Override
      public SequencedMap<String, Object> list(ListOptions options) {
        return storage.list(options, Object.class);
      }

      @Override
      public Optional<Instant> getAlarm(ReadOptions options) {
        return storage.getAlarm(options);
      }

      @Override
      public void setAlarm(Instant time, WriteOptions options) {
        storage.setAlarm(time, options);
      }

      @Override
      public void deleteAlarm(WriteOptions options) {
        storage.deleteAlarm(options);
      }
    };
  }
}
