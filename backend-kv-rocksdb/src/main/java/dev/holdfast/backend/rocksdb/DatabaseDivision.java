package dev.holdfast.backend.rocksdb;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.ObjectState;
import dev.holdfast.backend.rocksdb.batch.SealedBatch;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.backend.rocksdb.database.DatabaseFiles;
import dev.holdfast.backend.rocksdb.database.ReadOnlyDatabase;
import dev.holdfast.backend.rocksdb.file.FlushedMark;
import dev.holdfast.backend.rocksdb.file.NativeLibrary;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogChange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/** Reads the database that a {@link RocksDbSplit} divides, and writes its parts. */
final class DatabaseDivision implements AutoCloseable {

  private static final int PART_BYTES = 1 << 20;

  /** One database at a time is written, and none of it is read. */
  private static final DatabaseFiles.Bounds BOUNDS =
      new DatabaseFiles.Bounds(8 << 20, 64 << 20, 64, 2);

  private final ReadOnlyDatabase source;

  private DatabaseDivision(ReadOnlyDatabase source) {
    this.source = source;
  }

  /** See {@link RocksDbSplit#open}. */
  static DatabaseDivision open(Path directory, Path logs) throws IOException {
    NativeLibrary.load(directory);
    try {
      return new DatabaseDivision(ReadOnlyDatabase.open(directory, logs));
    } catch (RocksDBException e) {
      throw new IOException("The RocksDB database in " + directory + " cannot be read", e);
    }
  }

  /** See {@link RocksDbSplit#write}. */
  long write(RocksDbSplit.Target target, byte[] firstId, byte[] endId) throws IOException {
    try (Database made = new DatabaseFiles(target.directory(), BOUNDS, null).open()) {
      long applied = target.positions().applyAsLong(source.applied());
      long begin = source.beginPosition();
      if (begin != 0) {
        made.beginAt(target.positions().applyAsLong(begin));
      }
      long objects = 0;
      // In the order of their numbers: the new ones are given in that order.
      List<Map.Entry<String, Integer>> namespaces = new ArrayList<>(source.namespaces().entrySet());
      namespaces.sort(Map.Entry.comparingByValue());
      for (Map.Entry<String, Integer> namespace : namespaces) {
        Copy copy = new Copy(made, namespace.getKey(), applied, target);
        source.forEachLastBatch(namespace.getValue(), firstId, endId, copy::write);
        objects += copy.objects;
      }
      made.write(List.of(), applied, target.journalId());
      made.flush();
      new FlushedMark(target.mark()).raiseTo(applied, target.journalId());
      return objects;
    } catch (RocksDBException e) {
      throw new IOException("The RocksDB database cannot be divided: " + e.getMessage(), e);
    }
  }

  /** Copies the objects of a namespace. */
  private final class Copy {

    private final Database made;
    private final String namespace;
    private final long applied;
    private final RocksDbSplit.Target target;
    private long objects;

    Copy(Database made, String namespace, long applied, RocksDbSplit.Target target) {
      this.made = made;
      this.namespace = namespace;
      this.applied = applied;
      this.target = target;
    }

    void write(ObjectPrefix old, long lastBatch) throws RocksDBException {
      ObjectKey key = new ObjectKey(namespace, ObjectId.of(old.id(), null));
      ObjectPrefix prefix = made.prefixOf(key);
      long position = target.positions().applyAsLong(lastBatch);
      List<Change> changes = new ArrayList<>();
      long[] bytes = {0};
      source.forEachPair(
          old.start(),
          (name, value) -> {
            byte[] own = Arrays.copyOfRange(name, ObjectPrefix.LENGTH_BYTES, name.length);
            changes.add(new Change(own, value, null));
            bytes[0] += name.length + value.length;
            if (bytes[0] >= PART_BYTES) {
              made.writePart(batch(position, key, prefix, changes, null), applied, journalId());
              changes.clear();
              bytes[0] = 0;
            }
            return true;
          });
      ObjectState state = source.state(old);
      @Nullable CatalogChange catalog =
          state.exists()
              ? new CatalogChange(
                  true, state.name(), new CatalogChange.Alarms(state.alarms(), List.of()))
              : null;
      // The last batch is known for ever, also of an object that is gone.
      made.write(List.of(batch(position, key, prefix, changes, catalog)), applied, journalId());
      objects++;
    }

    private long journalId() {
      return target.journalId();
    }

    private static SealedBatch batch(
        long position,
        ObjectKey key,
        ObjectPrefix prefix,
        List<Change> changes,
        @Nullable CatalogChange catalog) {
      return new SealedBatch(
          position, key, prefix, /* clears= */ false, List.copyOf(changes), catalog);
    }
  }

  @Override
  public void close() {
    source.close();
  }
}
