package dev.holdfast.backend.rocksdb;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.ObjectState;
import dev.holdfast.backend.rocksdb.batch.SealedBatch;
import dev.holdfast.backend.rocksdb.batch.SealedBatches;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.backend.rocksdb.database.DatabaseFiles;
import dev.holdfast.backend.rocksdb.database.ReadOnlyDatabase;
import dev.holdfast.backend.rocksdb.file.FlushedMark;
import dev.holdfast.backend.rocksdb.file.NativeLibrary;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.catalog.CatalogChange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/** Writes a database of the parts that {@link RocksDbSplit} reads. */
final class DatabaseDivision implements AutoCloseable {

  private static final int PART_BYTES = 1 << 20;

  /** One database at a time is written, and none of it is read. */
  private static final DatabaseFiles.Bounds BOUNDS =
      new DatabaseFiles.Bounds(8 << 20, 64 << 20, 64, 2);

  private final RocksDbSplit.Target target;
  private final Database made;
  private long applied;
  private long objects;

  private DatabaseDivision(RocksDbSplit.Target target, Database made) {
    this.target = target;
    this.made = made;
  }

  /** {@return a database that is divided, see {@link RocksDbSplit#open}} */
  static ReadOnlyDatabase read(Path directory, Path logs) throws IOException {
    NativeLibrary.load(directory);
    try {
      return ReadOnlyDatabase.open(directory, logs);
    } catch (RocksDBException e) {
      throw new IOException("The RocksDB database in " + directory + " cannot be read", e);
    }
  }

  /** {@return whether data was given up, see {@link RocksDbSplit#isGivenUp}} */
  static boolean isGivenUp(ReadOnlyDatabase database) throws IOException {
    try {
      return database.beginPosition() != 0;
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  /** Passes on the objects, see {@link RocksDbSplit#forEachObject}. */
  static void forEachObject(ReadOnlyDatabase database, Consumer<ObjectKey> visitor)
      throws IOException {
    Map<Integer, String> names = new HashMap<>();
    database.namespaces().forEach((name, number) -> names.put(number, name));
    try {
      database.forEachLastBatch(
          (prefix, _) -> {
            String name = names.get(prefix.namespaceNumber());
            if (name == null) {
              throw new UncheckedIOException(unknownNamespace(prefix.namespaceNumber()));
            }
            visitor.accept(keyOf(name, prefix));
          });
    } catch (RocksDBException e) {
      throw failed(e);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static IOException unknownNamespace(int number) {
    return new IOException(
        "The RocksDB database cannot be divided: it has an object of the namespace with number "
            + number
            + ", and lacks the name of that. Check it with ./holdfast verify, and restore a backup"
            + " that has it");
  }

  private static ObjectKey keyOf(String namespace, ObjectPrefix prefix) {
    return new ObjectKey(namespace, ObjectId.of(prefix.id(), null));
  }

  /** {@return an empty database} */
  static DatabaseDivision begin(RocksDbSplit.Target target) {
    NativeLibrary.load(target.directory());
    return new DatabaseDivision(target, new DatabaseFiles(target.directory(), BOUNDS, null).open());
  }

  /** Adds the objects of a database whose ids are in a range. */
  void add(RocksDbSplit.Part part, byte[] firstId, byte[] endId) throws IOException {
    ReadOnlyDatabase source = part.source().open().database();
    try {
      long begin = source.beginPosition();
      if (begin != 0) {
        made.beginAt(part.moved(begin));
      }
      applied = part.moved(source.applied());
      // In the order of their numbers: the new ones are given in that order.
      List<Map.Entry<String, Integer>> namespaces = new ArrayList<>(source.namespaces().entrySet());
      namespaces.sort(Map.Entry.comparingByValue());
      for (Map.Entry<String, Integer> namespace : namespaces) {
        Copy copy = new Copy(part, source, namespace.getKey());
        source.forEachLastBatch(namespace.getValue(), firstId, endId, copy::write);
      }
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  /** {@return the number of its objects, after it was made durable} */
  long end() throws IOException {
    try {
      RocksDbSplit.Lacking lacking = target.lacking();
      if (lacking != null) {
        redo(lacking.records());
        applied = lacking.lastPosition();
      }
      made.write(List.of(), applied, journalId());
      made.flush();
      new FlushedMark(target.mark()).raiseTo(applied, journalId());
      return objects;
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  /** The databases have the batches of their objects up to different records. */
  private void redo(RecoveryLog records) {
    Redo redo =
        new Redo(
            made,
            new Redo.Receiver() {
              @Override
              public void redo(SealedBatches.Durable group) throws RocksDBException {
                made.write(group.batches(), 0, journalId());
              }

              @Override
              public void redoPart(SealedBatch part) throws RocksDBException {
                made.writePart(part, 0, journalId());
              }

              @Override
              public void redone(long position) {}
            },
            records,
            /* afterPosition= */ 0);
    records.forEach(
        (view, _) -> view == RocksDbBackend.VIEW_ID,
        record -> {
          if (!record.kind().isBatch() || record.position() > lastBatchOf(record.key())) {
            redo.visit(record);
          }
        });
    redo.write();
  }

  private long lastBatchOf(ObjectKey key) {
    try {
      return made.lastBatchOf(made.prefixOf(key));
    } catch (RocksDBException e) {
      throw new UncheckedIOException(failed(e));
    }
  }

  private long journalId() {
    return target.journalId();
  }

  private static IOException failed(RocksDBException e) {
    return new IOException("The RocksDB database cannot be divided: " + e.getMessage(), e);
  }

  /** Copies the objects of a namespace. */
  private final class Copy {

    private final RocksDbSplit.Part part;
    private final ReadOnlyDatabase source;
    private final String namespace;

    Copy(RocksDbSplit.Part part, ReadOnlyDatabase source, String namespace) {
      this.part = part;
      this.source = source;
      this.namespace = namespace;
    }

    void write(ObjectPrefix old, long lastBatch) throws RocksDBException {
      ObjectKey key = keyOf(namespace, old);
      ObjectPrefix prefix = made.prefixOf(key);
      long position = part.moved(lastBatch);
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
    made.close();
  }
}
