package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.database.ReadOnlyDatabase;
import dev.holdfast.backend.rocksdb.file.NativeHandles;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * What the journal says about pairs: the last value of each key that a batch has changed, or that
 * it was deleted. In a separate database, because a journal can be larger than memory. Used by one
 * thread.
 */
final class ReplayedPairs implements AutoCloseable {

  private static final byte[] DELETED = {0};
  private static final byte PRESENT = 1;

  private final NativeHandles handles = new NativeHandles();
  private final RocksDB rocks;
  private final WriteOptions unlogged;
  private final Map<String, Integer> namespaces;

  /** Objects of which the journal has a clear: a key that is not here does not exist. */
  private final Map<ObjectKey, ObjectPrefix> cleared = new LinkedHashMap<>();

  /** Whether all objects had nothing at some time. */
  private boolean isGivenUp;

  private final Map<ObjectKey, ObjectPrefix> prefixes = new HashMap<>();

  private ReplayedPairs(Path scratch, Map<String, Integer> namespaces) throws RocksDBException {
    this.namespaces = namespaces;
    Options options = handles.add(new Options().setCreateIfMissing(true));
    this.unlogged = handles.add(new WriteOptions().setDisableWAL(true));
    this.rocks = handles.add(RocksDB.open(options, scratch.toString()));
  }

  /**
   * Replays the journal.
   *
   * @param scratch a directory that does not exist
   * @param namespaces the numbers of the namespaces in the database to compare with
   * @param first the first position to replay
   * @param last the last one
   */
  static ReplayedPairs of(
      Path scratch, Map<String, Integer> namespaces, RecoveryLog log, long first, long last)
      throws RocksDBException {
    ReplayedPairs replayed = new ReplayedPairs(scratch, namespaces);
    RocksDBException[] failure = new RocksDBException[1];
    log.forEachFrom(
        first,
        (view, kind) -> view == RocksDbBackend.VIEW_ID && kind != RecordKind.UNDO_PART,
        record -> {
          if (record.position() <= last && failure[0] == null) {
            try {
              if (RocksDbBackend.isGivenUpBy(record)) {
                replayed.giveUp();
              } else if (record.kind().isBatch()) {
                replayed.redo(log, record);
              }
            } catch (IllegalArgumentException e) {
              // Reported before, as malformed.
            } catch (RocksDBException e) {
              failure[0] = e;
            }
          }
        });
    if (failure[0] != null) {
      replayed.close();
      throw failure[0];
    }
    return replayed;
  }

  private void giveUp() throws RocksDBException {
    rocks.deleteRange(unlogged, new byte[0], new byte[] {(byte) 0x80});
    cleared.clear();
    isGivenUp = true;
  }

  private void redo(RecoveryLog log, JournalRecord record) throws RocksDBException {
    Batch batch = Batch.decode(record.payload());
    ObjectPrefix prefix = prefix(record.key());
    if (prefix == null) {
      return; // the caller compares the namespaces
    }
    switch (batch.form()) {
      case CHANGES -> write(prefix, batch);
      case CLEAR -> {
        rocks.deleteRange(unlogged, prefix.start(), prefix.end());
        cleared.put(record.key(), prefix);
        write(prefix, batch);
      }
      case IN_PARTS -> redoParts(log, record, batch.firstPart(), prefix);
      case UNDO_PART, PART -> {}
    }
  }

  private void redoParts(RecoveryLog log, JournalRecord last, long firstPart, ObjectPrefix prefix)
      throws RocksDBException {
    RocksDBException[] failure = new RocksDBException[1];
    log.forEachFrom(
        firstPart,
        (view, kind) -> view == RocksDbBackend.VIEW_ID && kind == RecordKind.UNDO_PART,
        record -> {
          if (record.position() < last.position() && record.key().equals(last.key())) {
            try {
              Batch part = Batch.decode(record.payload());
              if (part.form() == Batch.Form.PART) {
                write(prefix, part);
              }
            } catch (RocksDBException e) {
              failure[0] = e;
            }
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
  }

  private void write(ObjectPrefix prefix, Batch batch) throws RocksDBException {
    try (WriteBatch writes = new WriteBatch()) {
      for (Change change : batch.changes()) {
        writes.put(prefix.with(change.key()), stored(change.redo()));
      }
      rocks.write(unlogged, writes);
    }
  }

  private static byte[] stored(byte @Nullable [] value) {
    if (value == null) {
      return DELETED;
    }
    byte[] stored = new byte[1 + value.length];
    stored[0] = PRESENT;
    System.arraycopy(value, 0, stored, 1, value.length);
    return stored;
  }

  private @Nullable ObjectPrefix prefix(ObjectKey key) {
    Integer number = namespaces.get(key.namespace());
    return number == null
        ? null
        : prefixes.computeIfAbsent(key, each -> new ObjectPrefix(number, each));
  }

  /** Receives a key whose pair differs. */
  interface Difference {
    void found(byte[] key, String how);
  }

  /**
   * Compares a database with what the journal says.
   *
   * @return how many keys were compared
   */
  long compare(ReadOnlyDatabase database, Difference difference) throws RocksDBException {
    long count = 0;
    try (RocksIterator iterator = rocks.newIterator()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        count++;
        byte[] value = database.pair(iterator.key());
        if (!Arrays.equals(stored(value), iterator.value())) {
          difference.found(
              iterator.key(),
              value == null
                  ? "it is missing"
                  : iterator.value()[0] == PRESENT
                      ? "it has another value"
                      : "it was deleted, and is there");
        }
      }
      iterator.status();
    }
    if (isGivenUp) {
      compareAll(database, new byte[0], difference);
    } else {
      for (ObjectPrefix prefix : cleared.values()) {
        compareAll(database, prefix.start(), difference);
      }
    }
    return count;
  }

  private void compareAll(ReadOnlyDatabase database, byte[] prefix, Difference difference)
      throws RocksDBException {
    database.forEachPair(
        prefix,
        (key, _) -> {
          if (rocks.get(key) == null) {
            difference.found(key, "it was deleted with all others, and is there");
          }
          return true;
        });
  }

  /** Adds a pair of the database, unless the journal says something about its key. */
  void addOlder(ObjectKey object, byte[] key, byte[] value) throws RocksDBException {
    if (!isGivenUp && !cleared.containsKey(object) && rocks.get(key) == null) {
      rocks.put(unlogged, key, stored(value));
    }
  }

  /** Visits all pairs that exist, in the order of their keys in the database. */
  void forEach(ReadOnlyDatabase.Visitor visitor) throws RocksDBException {
    try (RocksIterator iterator = rocks.newIterator()) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        byte[] value = iterator.value();
        if (value[0] == PRESENT) {
          visitor.visit(iterator.key(), Arrays.copyOfRange(value, 1, value.length));
        }
      }
      iterator.status();
    }
  }

  @Override
  public void close() {
    handles.close();
  }
}
