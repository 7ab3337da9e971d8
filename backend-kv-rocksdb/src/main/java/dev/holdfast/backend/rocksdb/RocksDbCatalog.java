package dev.holdfast.backend.rocksdb;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.CatalogKeys;
import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.ObjectState;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.backend.rocksdb.database.Database.CatalogRange;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectCatalog;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The directory of the objects in the database, and the index of their alarms: a column family that
 * is written together with the pairs. Thread-safe.
 */
final class RocksDbCatalog implements ObjectCatalog {

  private final Database database;
  private final Applier applier;
  private final StorageThreads threads;
  private volatile AlarmsListener listener = (_, _, _) -> {};

  RocksDbCatalog(Database database, Applier applier, StorageThreads threads) {
    this.database = database;
    this.applier = applier;
    this.threads = threads;
  }

  /** Records that a batch was appended. */
  void sealed(ObjectKey key, CatalogChange change) {
    if (change.alarms() != null) {
      listener.changed(key, change.alarms().after(), change.alarms().before());
    }
  }

  /** {@return the state of an object in the database; may read from the disk} */
  ObjectState stateOf(ObjectPrefix prefix) throws RocksDBException {
    return ObjectState.decode(database.getFromCatalog(CatalogKeys.state(prefix)));
  }

  @Override
  public void onAlarmsChanged(AlarmsListener changed) {
    listener = changed;
  }

  @Override
  public List<ObjectId> objects(ObjectQuery query) {
    return read(
        () -> {
          int namespace = database.numberOf(query.namespace());
          List<CatalogRange> ranges = rangesOf(query, namespace);
          List<ObjectId> found = new ArrayList<>();
          if (!ranges.isEmpty()) {
            // In one walk: an object that gets its name between two walks would be in neither.
            database.walkCatalog(
                ranges,
                (key, value) -> {
                  for (ObjectId each : idsOf(key, value)) {
                    if (found.size() < query.limit() && isAfter(each, query.after())) {
                      found.add(each);
                    }
                  }
                  return found.size() < query.limit();
                });
          }
          return found;
        });
  }

  @Override
  @SuppressWarnings("NullAway") // null for an object that does not exist
  public @Nullable ObjectId find(ObjectKey key) {
    return read(
        () -> {
          ObjectState state = stateOf(database.prefixOf(key));
          return state.exists() ? ObjectId.of(key.id().toBytes(), state.name()) : null;
        });
  }

  @Override
  public boolean changedAfter(long position, Consumer<ObjectKey> visitor) {
    Map<Integer, String> names = new HashMap<>();
    for (String name : namespaces()) {
      names.put(database.numberOf(name), name);
    }
    List<ObjectKey> changed = new ArrayList<>();
    read(
        () -> {
          database.walkCatalog(
              List.of(range(CatalogKeys.lastBatches(), null)),
              (key, value) -> {
                ObjectPrefix prefix = ObjectPrefix.of(CatalogKeys.prefixOfState(key));
                String namespace = names.get(prefix.namespaceNumber());
                if (namespace != null && ByteBuffer.wrap(value).getLong() > position) {
                  changed.add(new ObjectKey(namespace, ObjectId.of(prefix.id(), null)));
                }
                return true;
              });
          return true;
        });
    changed.forEach(visitor);
    return true;
  }

  @Override
  public Set<String> namespaces() {
    return read(database::namespaces);
  }

  /** {@return how many bytes the keys and values of objects have; reads all of them} */
  long[] bytes(List<ObjectKey> keys) {
    return read(() -> database.bytesOf(keys.stream().map(database::prefixOf).toList()));
  }

  @Override
  public List<ObjectKey> takeSharedNames() {
    return database.sharedNames().take();
  }

  private static List<ObjectId> idsOf(byte[] key, byte[] value) {
    byte[] rest = CatalogKeys.rest(key);
    if (!CatalogKeys.isNamed(key)) {
      return List.of(ObjectId.of(rest, null));
    }
    String name = new String(rest, StandardCharsets.UTF_8);
    return CatalogKeys.ids(value).stream().map(id -> ObjectId.of(id, name)).toList();
  }

  /** A walk begins with the name of the object before it, which others may have. */
  private static boolean isAfter(ObjectId id, @Nullable ObjectId after) {
    return after == null
        || id.name().isEmpty()
        || !id.name().equals(after.name())
        || Arrays.compareUnsigned(id.toBytes(), after.toBytes()) > 0;
  }

  private static List<CatalogRange> rangesOf(ObjectQuery query, int namespace) {
    ObjectId after = query.after();
    List<CatalogRange> ranges = new ArrayList<>();
    if (after == null || after.name().isPresent()) {
      ranges.add(
          range(
              CatalogKeys.named(namespace, utf8(query.prefix() == null ? "" : query.prefix())),
              after == null
                  ? null
                  : CatalogKeys.named(namespace, utf8(after.name().orElseThrow()))));
    }
    if (query.prefix() == null) {
      ranges.add(
          range(
              CatalogKeys.unnamed(namespace, new byte[0]),
              after == null || after.name().isPresent()
                  ? null
                  : Keys.after(CatalogKeys.unnamed(namespace, after.toBytes()))));
    }
    return ranges;
  }

  /** {@return all keys that begin with a prefix, or those of them from a key on} */
  private static CatalogRange range(byte[] prefix, byte @Nullable [] from) {
    byte[] start = from == null ? prefix : from;
    return new CatalogRange(
        Keys.ORDER.compare(start, prefix) < 0 ? prefix : start, Keys.endOfPrefix(prefix));
  }

  @Override
  public List<AlarmEntry> alarms(AlarmQuery query) {
    return read(
        () -> {
          int namespace = database.numberOf(query.namespace());
          byte[] start = startOf(query, namespace);
          byte[] end = CatalogKeys.alarmsDueAfter(namespace, query.state(), query.dueMillisMax());
          List<AlarmEntry> found = new ArrayList<>();
          // A key is passed over if its object has changed since the walk, but a page is short only
          // at the end of the index: the reader of a short page stops.
          while (found.size() < query.limit()) {
            List<byte[]> keys = alarmKeys(start, end, query.limit() - found.size());
            if (keys.isEmpty()) {
              break;
            }
            addEntries(query.namespace(), keys, found);
            start = Keys.after(keys.getLast());
          }
          return found;
        });
  }

  @Override
  public long alarmCount(String namespace, AlarmRecord.State state) {
    return read(
        () -> {
          byte[] start = CatalogKeys.alarms(database.numberOf(namespace), state);
          AtomicLong count = new AtomicLong();
          database.walkCatalog(
              List.of(new CatalogRange(start, Keys.endOfPrefix(start))),
              (_, _) -> count.incrementAndGet() > 0);
          return count.get();
        });
  }

  private static byte[] startOf(AlarmQuery query, int namespace) {
    AlarmEntry after = query.after();
    if (after == null) {
      return CatalogKeys.alarms(namespace, query.state());
    }
    AlarmRecord alarm =
        new AlarmRecord(after.alarm().name(), query.state(), after.alarm().dueMillis(), 0, 0, "");
    return Keys.after(CatalogKeys.alarm(namespace, after.key().id().toBytes(), alarm));
  }

  private List<byte[]> alarmKeys(byte[] start, byte[] end, int countMax) throws RocksDBException {
    List<byte[]> keys = new ArrayList<>();
    database.walkCatalog(
        List.of(new CatalogRange(start, end)),
        (key, _) -> {
          keys.add(key);
          return keys.size() < countMax;
        });
    return keys;
  }

  private void addEntries(String namespace, List<byte[]> keys, List<AlarmEntry> found)
      throws RocksDBException {
    // An object may have a thousand alarms, which are read together.
    Map<ObjectId, ObjectState> states = new HashMap<>();
    for (byte[] key : keys) {
      addEntry(namespace, key, states, found);
    }
  }

  /** The alarm itself is stored with its object, which a concurrent write may have changed. */
  private void addEntry(
      String namespace, byte[] key, Map<ObjectId, ObjectState> states, List<AlarmEntry> found)
      throws RocksDBException {
    ObjectId id = CatalogKeys.idOfAlarm(key);
    ObjectState state = states.get(id);
    if (state == null) {
      state = stateOf(database.prefixOf(new ObjectKey(namespace, id)));
      states.put(id, state);
    }
    int namespaceNumber = database.numberOf(namespace);
    for (AlarmRecord alarm : state.alarms()) {
      if (Arrays.equals(key, CatalogKeys.alarm(namespaceNumber, id.toBytes(), alarm))) {
        found.add(
            new AlarmEntry(
                new ObjectKey(namespace, ObjectId.of(id.toBytes(), state.name())), alarm));
      }
    }
  }

  private <T> T read(Callable<T> work) {
    try {
      applier.awaitDurableApplied();
      return threads.run(work);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new DataDirectoryException(
          database.directory(),
          "The catalog of objects and alarms cannot be read: " + e.getMessage(),
          e);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
