package dev.holdfast.runtime.internal.storage;

import dev.holdfast.runtime.internal.turn.Turns;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.TransactionalStorage;
import dev.holdfast.storage.WriteOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values as object code sees them, in a transaction or not. Every method checks, in this
 * order: that the current thread runs the turn and a transaction is still open, then all limits,
 * and only then touches the store turn.
 *
 * <p>Owned by the object's turn.
 */
abstract class GatedKeyValues implements TransactionalStorage {

  private final Turns turns;

  GatedKeyValues(Turns turns) {
    this.turns = turns;
  }

  /**
   * Checks that an operation is allowed now.
   *
   * @param operation its name, as in the messages of the reference
   */
  abstract void admit(String operation);

  final Turns turns() {
    return turns;
  }

  @Override
  public final <T> Optional<T> get(String key, Class<T> type, ReadOptions options) {
    admit("get");
    byte[] name = keys().encode(key);
    byte[] value = onStore(turn -> turn.get(name));
    return value == null ? Optional.empty() : Optional.ofNullable(decode(key, value, type));
  }

  @Override
  public final <T> SequencedMap<String, T> get(
      Collection<String> keys, Class<T> type, ReadOptions options) {
    admit("get");
    List<byte[]> names = encode(keys);
    names.sort(StorageKeys::compare);
    List<Pair> pairs =
        onStore(
            turn -> {
              List<Pair> found = new ArrayList<>(names.size());
              for (byte[] name : names) {
                byte[] value = turn.get(name);
                if (value != null) {
                  found.add(new Pair(name, value));
                }
              }
              return found;
            });
    return decode(pairs, type);
  }

  @Override
  public final void put(String key, Object value, WriteOptions options) {
    admit("put");
    byte[] name = keys().encode(key);
    byte[] bytes = values().encode(key, value);
    write(options, turn -> turn.put(name, bytes));
  }

  @Override
  public final void put(Map<String, ?> entries, WriteOptions options) {
    admit("put");
    keys().checkCount(entries.size());
    List<Pair> pairs = new ArrayList<>(entries.size());
    entries.forEach(
        (key, value) -> pairs.add(new Pair(keys().encode(key), values().encode(key, value))));
    if (!pairs.isEmpty()) {
      write(options, turn -> pairs.forEach(pair -> turn.put(pair.key(), pair.value())));
    }
  }

  @Override
  public final boolean delete(String key, WriteOptions options) {
    admit("delete");
    byte[] name = keys().encode(key);
    confirm(options);
    return onStore(turn -> turn.delete(name));
  }

  @Override
  public final int delete(Collection<String> keys, WriteOptions options) {
    admit("delete");
    List<byte[]> names = encode(keys);
    if (names.isEmpty()) {
      return 0;
    }
    confirm(options);
    return onStore(
        turn -> {
          int count = 0;
          for (byte[] name : names) {
            count += turn.delete(name) ? 1 : 0;
          }
          return count;
        });
  }

  @Override
  public final <T> SequencedMap<String, T> list(ListOptions options, Class<T> type) {
    admit("list");
    KeyRange range = keys().range(options);
    return range == null ? new LinkedHashMap<>() : decode(scan(range), type);
  }

  @Override
  public final <T> Stream<Map.Entry<String, T>> stream(ListOptions options, Class<T> type) {
    admit("list");
    KeyRange range = keys().range(options);
    return range == null ? Stream.empty() : new PairStream<>(this, range, type).stream();
  }

  /** Reads a range into memory. */
  final List<Pair> scan(KeyRange range) {
    return onStore(
        turn -> {
          List<Pair> found = new ArrayList<>();
          try (StoreScan scan = turn.scan(range)) {
            while (scan.next()) {
              found.add(new Pair(scan.key(), scan.value()));
            }
          }
          return found;
        });
  }

  final void write(WriteOptions options, Consumer<StoreTurn> writes) {
    confirm(options);
    onStore(
        turn -> {
          writes.accept(turn);
          return Boolean.TRUE;
        });
  }

  private void confirm(WriteOptions options) {
    if (!options.allowUnconfirmed()) {
      turns.confirmWrites();
    }
  }

  /** Whatever the store throws, it cannot be trusted any more: the instance is reset. */
  final <R extends @Nullable Object> R onStore(Function<StoreTurn, R> operation) {
    StoreTurn turn = turns.storeTurn();
    try {
      return operation.apply(turn);
    } catch (RuntimeException | Error e) {
      turns.storageFailed(e);
      throw e;
    }
  }

  private List<byte[]> encode(Collection<String> keys) {
    keys().checkCount(keys.size());
    List<byte[]> names = new ArrayList<>(keys.size());
    for (String key : keys) {
      names.add(keys().encode(key));
    }
    return names;
  }

  final <T> @Nullable T decode(String key, byte[] value, Class<T> type) {
    return values().decode(key, value, type);
  }

  // A value that is null in JavaScript is present: its key is in the map, as in the reference.
  @SuppressWarnings("NullAway")
  private <T> SequencedMap<String, T> decode(List<Pair> pairs, Class<T> type) {
    SequencedMap<String, T> decoded = new LinkedHashMap<>();
    for (Pair pair : pairs) {
      String key = StorageKeys.decode(pair.key());
      decoded.put(key, decode(key, pair.value(), type));
    }
    return decoded;
  }

  private StorageKeys keys() {
    return new StorageKeys(object());
  }

  private StoredValues values() {
    return new StoredValues(object());
  }

  final ObjectKey object() {
    return turns.key();
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared; lives as long as one call
  record Pair(byte[] key, byte[] value) {}
}
