package dev.holdfast.backend.rocksdb;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.ObjectState;
import dev.holdfast.backend.rocksdb.database.ReadOnlyDatabase;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.catalog.CatalogChange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The work of {@link RocksDbSalvage}, with the classes of RocksDB's library. Used by one thread.
 */
final class PairsSalvage {

  private static final int BATCH_BYTES = 1 << 20;

  private final RocksDbSalvage.Source source;
  private final Path scratch;
  private final RocksDbSalvage.Appender appender;

  private final Map<String, Integer> namespaces = new HashMap<>();
  private final Map<Integer, String> names = new HashMap<>();
  private final Map<ObjectKey, ObjectState> catalog = new LinkedHashMap<>();
  private final Map<ObjectKey, Integer> lacking = new LinkedHashMap<>();
  private long applied;
  private long end = Long.MAX_VALUE;

  // The batch that is being collected.
  private @Nullable ObjectKey object;
  private final List<Change> changes = new ArrayList<>();
  private long bytes;

  PairsSalvage(RocksDbSalvage.Source source, Path scratch, RocksDbSalvage.Appender appender) {
    this.source = source;
    this.scratch = scratch;
    this.appender = appender;
  }

  RocksDbSalvage.Result run(boolean hasDatabase) throws IOException {
    try {
      if (hasDatabase) {
        try (ReadOnlyDatabase database = ReadOnlyDatabase.open(source.directory(), scratch)) {
          namespaces.putAll(database.namespaces());
          applied = database.applied();
          readJournal();
          readCatalog(database);
          append(database);
        }
      } else {
        readJournal();
        append(null);
      }
      return new RocksDbSalvage.Result(catalog.size(), end - 1, lacking);
    } catch (RocksDBException e) {
      throw new IOException(
          "the RocksDB database in " + source.directory() + " cannot be read: " + e.getMessage(),
          e);
    }
  }

  /** Finds the namespaces that the database lacks, and the objects that lose something. */
  private void readJournal() {
    end = source.gapAfter().applyAsLong(applied);
    source
        .records()
        .forEachFrom(
            applied + 1,
            (view, kind) -> view == RocksDbBackend.VIEW_ID && kind.isBatch(),
            record -> {
              if (record.position() >= end) {
                lacking.merge(record.key(), 1, Integer::sum);
              } else {
                namespaces.computeIfAbsent(
                    record.key().namespace(), _ -> namespaces.size() + 1_000_000);
              }
            });
    namespaces.forEach((name, number) -> names.put(number, name));
  }

  private void readCatalog(ReadOnlyDatabase database) throws RocksDBException {
    List<byte[]> prefixes = new ArrayList<>();
    database.forEachInCatalog(prefixes::add);
    for (byte[] prefix : prefixes) {
      ObjectKey key = keyOf(prefix);
      if (key != null) {
        catalog.put(key, database.catalogState(prefix));
      }
    }
  }

  private void append(@Nullable ReadOnlyDatabase database) throws RocksDBException {
    source
        .records()
        .forEachFrom(
            applied + 1,
            (view, kind) -> view == RocksDbBackend.VIEW_ID && kind != RecordKind.UNDO_PART,
            record -> {
              if (record.position() >= end) {
                return;
              }
              if (RocksDbBackend.isGivenUpBy(record)) {
                catalog.clear();
                return;
              }
              CatalogChange change = Batch.decode(record.payload()).catalog();
              if (change != null) {
                ObjectState before = catalog.getOrDefault(record.key(), ObjectState.decode(null));
                catalog.put(record.key(), before.after(change));
              }
            });
    catalog.values().removeIf(state -> !state.exists());
    try (ReplayedPairs pairs =
        ReplayedPairs.of(
            scratch.resolve("pairs"), namespaces, source.records(), applied + 1, end - 1)) {
      if (database != null) {
        database.forEachPair(
            new byte[0],
            (key, value) -> {
              ObjectKey owner = keyOf(key);
              if (owner != null) {
                pairs.addOlder(owner, key, value);
              }
              return true;
            });
      }
      catalog.forEach(
          (key, state) ->
              send(key, List.of(), new CatalogChange(true, state.name(), alarms(state))));
      pairs.forEach(
          (key, value) -> {
            collect(key, value);
            return true;
          });
      flush();
    }
  }

  private static CatalogChange.@Nullable Alarms alarms(ObjectState state) {
    return state.alarms().isEmpty() ? null : new CatalogChange.Alarms(state.alarms(), List.of());
  }

  private void collect(byte[] key, byte[] value) {
    ObjectKey owner = keyOf(key);
    if (!Objects.equals(owner, object) || bytes > BATCH_BYTES) {
      flush();
      object = owner;
    }
    changes.add(
        new Change(Arrays.copyOfRange(key, ObjectPrefix.LENGTH_BYTES, key.length), value, null));
    bytes += key.length + value.length;
  }

  private void flush() {
    ObjectKey owner = object;
    if (owner != null && !changes.isEmpty()) {
      send(owner, List.copyOf(changes), null);
    }
    changes.clear();
    bytes = 0;
  }

  private void send(ObjectKey key, List<Change> sent, @Nullable CatalogChange change) {
    ByteBuffer payload = new Batch(Batch.Form.CHANGES, sent, change).encode();
    appender.append(RocksDbBackend.VIEW_ID, key, payload);
  }

  private @Nullable ObjectKey keyOf(byte[] key) {
    if (key.length < ObjectPrefix.LENGTH_BYTES) {
      return null;
    }
    ObjectPrefix prefix = ObjectPrefix.of(Arrays.copyOf(key, ObjectPrefix.LENGTH_BYTES));
    String namespace = names.get(prefix.namespaceNumber());
    return namespace == null ? null : new ObjectKey(namespace, ObjectId.of(prefix.id(), null));
  }
}
