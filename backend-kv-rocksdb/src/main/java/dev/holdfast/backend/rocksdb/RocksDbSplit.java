package dev.holdfast.backend.rocksdb;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.Batch;
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
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * Divides the database of a data directory that no runtime has open into databases of some of its
 * objects, beside journals with their records at other positions. Changes nothing of it. Confined
 * to one thread.
 */
public final class RocksDbSplit implements AutoCloseable {

  private static final int PART_BYTES = 1 << 20;

  /** One database at a time is written, and none of it is read. */
  private static final DatabaseFiles.Bounds BOUNDS =
      new DatabaseFiles.Bounds(8 << 20, 64 << 20, 64, 2);

  private final ReadOnlyDatabase source;

  private RocksDbSplit(ReadOnlyDatabase source) {
    this.source = source;
  }

  /**
   * Opens the database.
   *
   * @param directory the directory {@code rocksdb/}
   * @param logs a directory for what RocksDB logs
   * @return the database; null if nothing was written to it
   * @throws IOException if it cannot be read
   * @throws dev.holdfast.errors.DataDirectoryException if RocksDB's library is missing
   */
  public static @Nullable RocksDbSplit open(Path directory, Path logs) throws IOException {
    if (!Files.exists(directory.resolve("CURRENT"))) {
      return null;
    }
    NativeLibrary.load(directory);
    try {
      return new RocksDbSplit(ReadOnlyDatabase.open(directory, logs));
    } catch (RocksDBException e) {
      throw new IOException("The RocksDB database in " + directory + " cannot be read", e);
    }
  }

  /**
   * Returns the payload of a batch, or of a part of one, with the position of its first part as it
   * is in another journal.
   *
   * @param payload the payload; not changed
   * @param positions gives the position in the other journal
   * @return the payload in the other journal; the same if it names no position
   * @throws IllegalArgumentException if it is not a batch of this version
   */
  public static ByteBuffer moved(ByteBuffer payload, LongUnaryOperator positions) {
    if (!Batch.isInParts(payload)) {
      return payload;
    }
    Batch batch = Batch.decode(payload);
    return new Batch(positions.applyAsLong(batch.firstPart()), batch.catalog()).encode();
  }

  /**
   * Where a part of the objects goes.
   *
   * @param directory the new directory {@code rocksdb/}
   * @param mark the file beside it
   * @param journalId the id of the journal beside it
   * @param positions gives the position in that journal of the last record there that is at a
   *     position or before it
   */
  public record Target(Path directory, Path mark, long journalId, LongUnaryOperator positions) {}

  /**
   * Writes a database of the objects whose ids are in a range.
   *
   * @param target where it goes
   * @param firstId the bytes with which the range begins
   * @param endId the bytes before which it ends
   * @return the number of objects that have anything
   * @throws IOException if a database cannot be read or written
   */
  public long write(Target target, byte[] firstId, byte[] endId) throws IOException {
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
    private final Target target;
    private long objects;

    Copy(Database made, String namespace, long applied, Target target) {
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
