package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.catalog.CatalogChange;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The sealed writes of one object that the database does not have yet: the batches that are not
 * durable, and those that wait for the {@code Applier}.
 *
 * <p>Thread-safe. The thread of the object's turn reads and adds; the applier removes what it has
 * written. A reader that reads this class first and the database second misses nothing: a batch is
 * removed only after the database has it.
 */
public final class UnappliedWrites {

  /**
   * A key's value after a batch.
   *
   * @param value null if the key is deleted
   * @param position the batch
   */
  @SuppressWarnings("ArrayRecordComponent")
  public // never compared, never changed
  record Write(byte @Nullable [] value, long position) {}

  /** A range of the pending writes at one moment; owned by the caller. */
  public record Range(NavigableMap<byte[], Write> writes, boolean cleared) {}

  /** The place of an object in the catalog after a batch. */
  record Entry(CatalogChange change, long position) {}

  private static final Write CLEARED = new Write(null, 0);
  private static final long NEVER = 0;

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final NavigableMap<byte[], Write> writes = new TreeMap<>(Keys.ORDER);
  private long clearedAt = NEVER;

  private long lastBatch;

  /** The last batch that states whether the object exists. */
  private @Nullable Entry existence;

  /** The last batch that has changed the alarms. */
  private @Nullable Entry alarms;

  /** {@return the pending write of a key; null if the database has the current value} */
  public @Nullable Write find(byte[] name) {
    lock.lock();
    try {
      Write write = writes.get(name);
      return write == null && clearedAt != NEVER ? CLEARED : write;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the pending writes between two keys, null for no bound; the bounds are in order} */
  public Range range(byte @Nullable [] startInclusive, byte @Nullable [] endExclusive) {
    lock.lock();
    try {
      NavigableMap<byte[], Write> selected = writes;
      if (startInclusive != null) {
        selected = selected.tailMap(startInclusive, true);
      }
      if (endExclusive != null) {
        selected = selected.headMap(endExclusive, false);
      }
      return new Range(new TreeMap<>(selected), clearedAt != NEVER);
    } finally {
      lock.unlock();
    }
  }

  /** {@return whether the object exists; null if the database has the answer} */
  public @Nullable Boolean exists() {
    lock.lock();
    try {
      return existence == null ? null : existence.change().exists();
    } finally {
      lock.unlock();
    }
  }

  /** {@return the alarms of the object; null if the database has the answer} */
  public @Nullable List<AlarmRecord> alarms() {
    lock.lock();
    try {
      return alarms == null || alarms.change().alarms() == null
          ? null
          : alarms.change().alarms().after();
    } finally {
      lock.unlock();
    }
  }

  /** {@return the position of the last batch} */
  public long lastBatch() {
    lock.lock();
    try {
      return lastBatch;
    } finally {
      lock.unlock();
    }
  }

  /** Adds a batch that was just appended to the journal. */
  void add(SealedBatch batch) {
    lock.lock();
    try {
      assert clearedAt < batch.position() && lastBatch < batch.position();
      lastBatch = batch.position();
      if (batch.clears()) {
        writes.clear();
        clearedAt = batch.position();
      }
      for (Change change : batch.changes()) {
        writes.put(change.key(), new Write(change.redo(), batch.position()));
      }
      if (batch.catalog() != null) {
        Entry entry = new Entry(batch.catalog(), batch.position());
        assert existence == null || existence.position() < entry.position();
        existence = entry;
        alarms = batch.catalog().alarms() != null ? entry : alarms;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Removes a batch that the database now has; the writes of later batches to the same keys stay.
   *
   * @return whether nothing is left
   */
  boolean applied(SealedBatch batch) {
    lock.lock();
    try {
      if (clearedAt == batch.position()) {
        clearedAt = NEVER;
      }
      for (Change change : batch.changes()) {
        Write write = writes.get(change.key());
        if (write != null && write.position() == batch.position()) {
          writes.remove(change.key());
        }
      }
      existence = remaining(existence, batch);
      alarms = remaining(alarms, batch);
      return lastBatch <= batch.position();
    } finally {
      lock.unlock();
    }
  }

  private static @Nullable Entry remaining(@Nullable Entry entry, SealedBatch applied) {
    return entry == null || entry.position() == applied.position() ? null : entry;
  }
}
