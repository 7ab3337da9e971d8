package dev.holdfast.backend.rocksdb.database;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.CatalogKeys;
import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.ObjectState;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/**
 * Adds the changes of the catalog to one write of the database: for each object its state, and the
 * keys of the object and its alarms in the indexes. Owned by the thread that writes.
 */
final class CatalogWriter {

  private static final byte[] NOTHING = {};

  private final WriteBatch writes;
  private final ColumnFamilyHandle family;
  private final Reader reader;

  /** The objects that the batches of the write change, by the key of their state. */
  private final NavigableMap<byte[], Changed> changed = new TreeMap<>(Keys.ORDER);

  /** The ids of the objects with a name, for the names that the write changes. */
  private final NavigableMap<byte[], NavigableSet<byte[]>> named = new TreeMap<>(Keys.ORDER);

  /**
   * The change of one object by a write.
   *
   * @param before the state in the database
   * @param after the state after the last batch so far
   */
  private record Changed(
      ObjectKey object, ObjectPrefix prefix, ObjectState before, ObjectState after) {}

  private final List<ObjectKey> shared = new ArrayList<>();

  CatalogWriter(WriteBatch writes, ColumnFamilyHandle family, Reader reader) {
    this.writes = writes;
    this.family = family;
    this.reader = reader;
  }

  /** Reads the catalog as it was before the write. */
  interface Reader {
    byte @Nullable [] get(byte[] key) throws RocksDBException;
  }

  /** Adds the change of a batch; the changes of one object come in journal order. */
  void add(ObjectKey object, ObjectPrefix prefix, CatalogChange change) throws RocksDBException {
    byte[] key = CatalogKeys.state(prefix);
    Changed known = changed.get(key);
    ObjectState before = known == null ? ObjectState.decode(reader.get(key)) : known.before();
    ObjectState present = known == null ? before : known.after();
    changed.put(key, new Changed(object, prefix, before, present.after(change)));
  }

  /**
   * Adds the combined changes to the write: for an alarm that was rescheduled several times, only
   * the last time.
   */
  void finish() throws RocksDBException {
    for (Map.Entry<byte[], Changed> each : changed.entrySet()) {
      write(each.getKey(), each.getValue());
    }
    writeNames();
  }

  private void write(byte[] key, Changed object) throws RocksDBException {
    ObjectPrefix prefix = object.prefix();
    ObjectState before = object.before();
    ObjectState after = object.after();
    if (after.equals(before)) {
      return;
    }
    if (after.exists()) {
      writes.put(family, key, after.encode());
    } else {
      writes.delete(family, key);
    }
    NavigableSet<byte[]> stale = keys(prefix, before);
    NavigableSet<byte[]> fresh = keys(prefix, after);
    for (byte[] each : stale) {
      if (!fresh.contains(each)) {
        if (CatalogKeys.isNamed(each)) {
          idsOf(each).remove(prefix.id());
        } else {
          writes.delete(family, each);
        }
      }
    }
    for (byte[] each : fresh) {
      if (!stale.contains(each)) {
        if (CatalogKeys.isNamed(each)) {
          NavigableSet<byte[]> ids = idsOf(each);
          ids.add(prefix.id());
          if (ids.size() > 1) {
            shared.add(
                new ObjectKey(object.object().namespace(), ObjectId.of(prefix.id(), after.name())));
          }
        } else {
          writes.put(family, each, NOTHING);
        }
      }
    }
  }

  /** {@return the objects that have a name after the write, as far as it is known so far} */
  private NavigableSet<byte[]> idsOf(byte[] name) throws RocksDBException {
    NavigableSet<byte[]> known = named.get(name);
    if (known == null) {
      known = new TreeSet<>(Keys.ORDER);
      byte[] before = reader.get(name);
      if (before != null) {
        known.addAll(CatalogKeys.ids(before));
      }
      named.put(name, known);
    }
    return known;
  }

  private void writeNames() throws RocksDBException {
    for (Map.Entry<byte[], NavigableSet<byte[]>> each : named.entrySet()) {
      if (each.getValue().isEmpty()) {
        writes.delete(family, each.getKey());
      } else {
        writes.put(family, each.getKey(), CatalogKeys.joined(each.getValue()));
      }
    }
  }

  /** {@return the objects that have a name since the write that others had before} */
  List<ObjectKey> shared() {
    return shared;
  }

  /** {@return the keys of the indexes for an object in a state} */
  static NavigableSet<byte[]> keys(ObjectPrefix prefix, ObjectState state) {
    NavigableSet<byte[]> keys = new TreeSet<>(Keys.ORDER);
    if (!state.exists()) {
      return keys;
    }
    int namespace = prefix.namespaceNumber();
    String name = state.name();
    keys.add(
        name == null
            ? CatalogKeys.unnamed(namespace, prefix.id())
            : CatalogKeys.named(namespace, name.getBytes(StandardCharsets.UTF_8)));
    for (AlarmRecord alarm : state.alarms()) {
      keys.add(CatalogKeys.alarm(namespace, prefix.id(), alarm));
    }
    return keys;
  }
}
