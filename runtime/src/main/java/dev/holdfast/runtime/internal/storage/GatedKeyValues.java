package dev.holdfast.runtime.internal.storage;

import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.runtime.internal.cache.CachedValue;
import dev.holdfast.runtime.internal.cache.ObjectCache;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.runtime.internal.turn.Waits;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.TransactionalStorage;
import dev.holdfast.storage.WriteOptions;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values as object code sees them, in a transaction or not. Every method first checks that
 * the current thread runs the turn and that a transaction is still open, then checks all limits,
 * and only then calls the store turn.
 *
 * <p>Confined to the object's turn.
 */
abstract class GatedKeyValues implements TransactionalStorage {

  private final Turn turns;
  private final ObjectAlarms alarms;
  private final ObjectCache cache;
  private final StructuredClone clone;

  GatedKeyValues(ObjectAlarms alarms, ObjectCache cache, StructuredClone clone) {
    this.alarms = alarms;
    this.turns = alarms.turns();
    this.cache = cache;
    this.clone = clone;
  }

  final ObjectCache cache() {
    return cache;
  }

  /**
   * Checks that an operation is allowed now.
   *
   * @param operation its name, as in the messages of the reference
   */
  abstract void admit(String operation);

  final Turn turns() {
    return turns;
  }

  @Override
  public final <T> Optional<T> get(String key, Class<T> type, ReadOptions options) {
    return read(key, type, options);
  }

  @Override
  public final <T> Optional<T> get(String key, TypeRef<T> type, ReadOptions options) {
    return read(key, type.type(), options);
  }

  @SuppressWarnings("unchecked") // decoded as this type
  private <T> Optional<T> read(String key, Type type, ReadOptions options) {
    admit("get");
    turns.enterEngine(); // the cache is one for all objects
    T value = (T) decode(key, read(key, options), type);
    return Optional.ofNullable(value);
  }

  @Override
  public final <T> SequencedMap<String, T> get(
      Collection<String> keys, Class<T> type, ReadOptions options) {
    return read(keys, type, options);
  }

  @Override
  public final <T> SequencedMap<String, T> get(
      Collection<String> keys, TypeRef<T> type, ReadOptions options) {
    return read(keys, type.type(), options);
  }

  @SuppressWarnings({"unchecked", "NullAway"}) // a stored null is present: its key is in the map
  private <T> SequencedMap<String, T> read(
      Collection<String> keys, Type type, ReadOptions options) {
    admit("get");
    turns.enterEngine();
    SequencedMap<String, T> found = new LinkedHashMap<>();
    List<Key> sorted = sorted(keys);
    prefetch(sorted, options);
    for (Key key : sorted) {
      CachedValue value = read(key, options);
      if (value.bytes() != null) {
        found.put(key.text(), (T) decode(key.text(), value, type));
      }
    }
    return found;
  }

  /** A cached entry has a key that was checked before. */
  private CachedValue read(String key, ReadOptions options) {
    CachedValue cached = readCached(key, options);
    if (cached != null) {
      return cached;
    }
    Key name = new Key(key, keys().encode(key));
    prefetch(options, turn -> turn.prefetch(name.name()));
    return load(name, options);
  }

  private CachedValue read(Key key, ReadOptions options) {
    CachedValue cached = readCached(key.text(), options);
    return cached != null ? cached : load(key, options);
  }

  private @Nullable CachedValue readCached(String key, ReadOptions options) {
    Objects.requireNonNull(key, "The key is null.");
    return options.noCache() ? cache.readQuietly(key) : cache.read(key);
  }

  private CachedValue load(Key key, ReadOptions options) {
    byte[] value = onStore(turn -> turn.get(key.name()));
    return options.noCache() ? new CachedValue(key.text(), value) : cache.keep(key.text(), value);
  }

  /** One wait for all keys: the result is the state at one moment, after the wait. */
  private void prefetch(List<Key> names, ReadOptions options) {
    prefetch(
        options,
        turn -> {
          List<Runnable> reads = new ArrayList<>();
          for (Key name : names) {
            Runnable read =
                cache.findQuietly(name.text()) == null ? turn.prefetch(name.name()) : null;
            if (read != null) {
              reads.add(read);
            }
          }
          return reads.isEmpty() ? null : () -> reads.forEach(Runnable::run);
        });
  }

  /**
   * Lets other events of the object run while the disk is read, if the caller allows it and the
   * read needs the disk; otherwise does nothing. The turn that follows reads the state after these
   * events. A transaction keeps its turn.
   */
  final void prefetch(ReadOptions options, Function<StoreTurn, @Nullable Runnable> plan) {
    if (options.allowConcurrency() && turns.work().transactions().count() == 0) {
      Runnable read = onStore(plan);
      if (read != null) {
        Waits.read(turns, read);
      }
    }
  }

  private List<Key> sorted(Collection<String> keys) {
    List<Key> sorted = encode(keys);
    sorted.sort((left, right) -> StorageKeys.compare(left.name(), right.name()));
    return sorted;
  }

  @Override
  public final void put(String key, Object value, WriteOptions options) {
    admit("put");
    turns.enterEngine();
    Key name = new Key(key, keys().encode(key));
    put(name, values().encode(key, value), options);
  }

  @Override
  public final void put(Map<String, ?> entries, WriteOptions options) {
    admit("put");
    turns.enterEngine(); // once: a refusal between two keys would leave some of them written
    List<Key> names = encode(entries.keySet());
    List<byte[]> encoded = new ArrayList<>(names.size());
    for (Key name : names) {
      encoded.add(values().encode(name.text(), entries.get(name.text())));
    }
    for (int i = 0; i < names.size(); i++) {
      put(names.get(i), encoded.get(i), options);
    }
  }

  private void put(Key key, byte[] bytes, WriteOptions options) {
    CachedValue cached = cache.findQuietly(key.text());
    confirm(options);
    if (cached != null && Arrays.equals(cached.bytes(), bytes)) {
      // As in the reference: a value that is already stored is not written again.
      return;
    }
    change(
        turn -> {
          if (cached == null) {
            turn.put(key.name(), bytes);
          } else {
            turn.put(key.name(), bytes, cached.bytes());
          }
          // Inside: a cache that has not learnt of a write must not outlive the error.
          wrote(key.text(), bytes, options);
          return Boolean.TRUE;
        });
  }

  @Override
  public final boolean delete(String key, WriteOptions options) {
    admit("delete");
    turns.enterEngine();
    return delete(new Key(key, keys().encode(key)), options);
  }

  @Override
  public final int delete(Collection<String> keys, WriteOptions options) {
    admit("delete");
    turns.enterEngine();
    int count = 0;
    for (Key name : encode(keys)) {
      count += delete(name, options) ? 1 : 0;
    }
    return count;
  }

  private boolean delete(Key key, WriteOptions options) {
    CachedValue cached = cache.findQuietly(key.text());
    confirm(options);
    if (cached != null && cached.bytes() == null) {
      return false;
    }
    return change(
        turn -> {
          boolean existed = turn.delete(key.name());
          wrote(key.text(), null, options);
          return existed;
        });
  }

  private void wrote(String key, byte @Nullable [] bytes, WriteOptions options) {
    if (options.noCache()) {
      cache.drop(key);
    } else {
      cache.wrote(key, bytes);
    }
  }

  @Override
  public final <T> SequencedMap<String, T> list(ListOptions options, Class<T> type) {
    return readAll(options, type);
  }

  @Override
  public final <T> SequencedMap<String, T> list(ListOptions options, TypeRef<T> type) {
    return readAll(options, type.type());
  }

  private <T> SequencedMap<String, T> readAll(ListOptions options, Type type) {
    admit("list");
    KeyRange range = keys().range(options);
    if (range == null) {
      return new LinkedHashMap<>();
    }
    prefetch(options.read(), turn -> turn.prefetch(range));
    return decode(scan(range), type);
  }

  @Override
  public final <T> Stream<Map.Entry<String, T>> stream(ListOptions options, Class<T> type) {
    return streamOf(options, type);
  }

  @Override
  public final <T> Stream<Map.Entry<String, T>> stream(ListOptions options, TypeRef<T> type) {
    return streamOf(options, type.type());
  }

  private <T> Stream<Map.Entry<String, T>> streamOf(ListOptions options, Type type) {
    admit("list");
    KeyRange range = keys().range(options);
    return range == null
        ? Stream.empty()
        : new PairStream<T>(this, range, options.read(), type).stream();
  }

  final ObjectAlarms alarms() {
    return alarms;
  }

  @Override
  public final Optional<Instant> getAlarm(ReadOptions options) {
    admit("getAlarm");
    return onStore(turn -> alarms.get(turn, AlarmRecord.OWN));
  }

  @Override
  public final void setAlarm(Instant time, WriteOptions options) {
    admit("setAlarm");
    long millis = alarms.millis(time);
    alarms.check("setAlarm");
    AlarmRecord alarm = alarms.withKept(AlarmRecord.once(AlarmRecord.OWN, millis));
    confirm(options);
    onStore(
        turn -> {
          alarms.set(turn, alarm);
          return Boolean.TRUE;
        });
  }

  @Override
  public final void deleteAlarm(WriteOptions options) {
    admit("deleteAlarm");
    confirm(options);
    onStore(turn -> alarms.delete(turn, AlarmRecord.OWN));
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

  final void confirm(WriteOptions options) {
    if (!options.allowUnconfirmed()) {
      turns.work().confirmWrites();
    }
  }

  final <R extends @Nullable Object> R onStore(Function<StoreTurn, R> operation) {
    turns.enterEngine();
    return change(operation);
  }

  /**
   * Uses the store in a method that has passed its door. After any exception of the store its state
   * is unknown: the instance is reset.
   */
  private <R extends @Nullable Object> R change(Function<StoreTurn, R> operation) {
    StoreTurn turn = turns.provenStoreTurn();
    try {
      return operation.apply(turn);
    } catch (RuntimeException | Error e) {
      turns.storageFailed(e);
      throw e;
    }
  }

  private List<Key> encode(Collection<String> keys) {
    keys().checkCount(keys.size());
    List<Key> names = new ArrayList<>(keys.size());
    for (String key : keys) {
      names.add(new Key(key, keys().encode(key)));
    }
    return names;
  }

  private @Nullable Object decode(String key, CachedValue value, Type type) {
    Object kept = value.decoded(type);
    if (kept != null) {
      return kept;
    }
    byte[] bytes = value.bytes();
    Object decoded = bytes == null ? null : decode(key, bytes, type);
    if (decoded != null) {
      value.decodedAs(type, decoded);
    }
    return decoded;
  }

  final @Nullable Object decode(String key, byte[] value, Type type) {
    return values().decode(key, value, type);
  }

  // A value that is null in JavaScript is present: its key is in the map, as in the reference.
  @SuppressWarnings({"unchecked", "NullAway"})
  private <T> SequencedMap<String, T> decode(List<Pair> pairs, Type type) {
    SequencedMap<String, T> decoded = LinkedHashMap.newLinkedHashMap(pairs.size());
    for (Pair pair : pairs) {
      String key = StorageKeys.decode(pair.key());
      decoded.put(key, (T) decode(key, pair.value(), type));
    }
    return decoded;
  }

  private StorageKeys keys() {
    return new StorageKeys(object());
  }

  private StoredValues values() {
    return new StoredValues(object(), clone); // not kept: an idle object is to stay small
  }

  final StructuredClone format() {
    return clone;
  }

  final ObjectKey object() {
    return turns.key();
  }

  /** A key as text and as bytes. */
  @SuppressWarnings("ArrayRecordComponent") // never compared; lives as long as one call
  private record Key(String text, byte[] name) {}

  @SuppressWarnings("ArrayRecordComponent") // never compared; lives as long as one call
  record Pair(byte[] key, byte[] value) {}
}
