package dev.holdfast.backend.rocksdb;

import dev.holdfast.HoldfastException;
import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.SealedBatches;
import dev.holdfast.backend.rocksdb.file.PairsFile;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import dev.holdfast.backend.rocksdb.file.SpilledPairs;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * A batch that exceeds the memory bound: a restore, or the initial state of a fork. It is written
 * to the journal in parts, which have no effect until the batch itself follows, and to the database
 * as one file of pairs, which RocksDB ingests as a whole.
 *
 * <p>The file is ingested when the batch is durable, and before anything at its position counts as
 * applied. A crash in between is redone from the parts, which the low-water mark keeps until the
 * batch is flushed.
 *
 * <p>Owned by the thread that restores; the object has no open turn.
 */
final class LargeBatch {

  private final RocksDbStore store;
  private final RocksDbBackend backend;
  private final SpilledPairs after;
  private final boolean keepsUndo;

  private List<Change> part = new ArrayList<>();
  private long partBytes;
  private int parts;

  /** If true, the parts are needed until the batch is flushed. */
  private boolean mayBeInJournal;

  /**
   * Creates the batch.
   *
   * @param after the values that the object is to have; other keys stay
   */
  LargeBatch(RocksDbStore store, SpilledPairs after) {
    this.store = store;
    this.backend = store.backend();
    this.after = after;
    this.keepsUndo = backend.keepsUndo(store.key().namespace());
  }

  /**
   * Appends the batch and gives it to the database. Waits for the journal.
   *
   * @param kind the kind of the record after the parts
   * @param change the change of the catalog; null for none
   * @return the position of the batch; durable
   */
  long append(RecordKind kind, @Nullable CatalogChange change) {
    Journal journal = backend.host().journal();
    journal.awaitDurable(backend.sealed().lastSealedPosition());
    // The sealed writes of the object must be in the database first: the file would be older than
    // they are.
    store.awaitApplied();
    long firstPart = backend.sealed().hold();
    try (PairsFile file = new PairsFile(after.file("pairs.sst"))) {
      after.forEach(
          (name, value) -> {
            add(file, name, value);
            return true;
          });
      appendPart();
      boolean hasPairs = store.read(file::finish);
      return appendLast(kind, new Batch(firstPart, change), hasPairs ? file.path() : null);
    } catch (RocksDBException e) {
      throw store.failed("cannot take a restore: " + e.getMessage(), e);
    } finally {
      if (!mayBeInJournal) {
        backend.sealed().release(firstPart);
      }
    }
  }

  private void add(PairsFile file, byte[] name, byte @Nullable [] value) {
    byte[] present = store.get(name);
    if (Arrays.equals(present, value)) {
      return;
    }
    Change change = new Change(name, value, keepsUndo ? present : null);
    try {
      file.add(store.prefix().with(name), value);
    } catch (RocksDBException e) {
      throw store.failed("cannot take a restore: " + e.getMessage(), e);
    }
    part.add(change);
    partBytes += change.bytes();
    if (partBytes >= RocksDbBounds.RESTORE_PART_BYTES) {
      appendPart();
    }
  }

  private void appendPart() {
    if (!part.isEmpty()) {
      parts++;
      backend
          .host()
          .journal()
          .append(
              RecordKind.UNDO_PART,
              RocksDbBackend.VIEW_ID,
              store.key(),
              store.link(parts),
              new Batch(Batch.Form.PART, part).encode());
      part = new ArrayList<>();
      partBytes = 0;
    }
  }

  private long appendLast(RecordKind kind, Batch batch, @Nullable Path file) {
    SealedBatches sealed = backend.sealed();
    SealedBatches.Append append = sealed.beginAppend(store.key());
    long position;
    mayBeInJournal = true;
    try {
      position =
          backend
              .host()
              .journal()
              .append(kind, RocksDbBackend.VIEW_ID, store.key(), store.link(parts), batch.encode());
    } catch (HoldfastException | IllegalArgumentException e) {
      sealed.withdraw(append);
      mayBeInJournal = false;
      throw e;
    } catch (RuntimeException | Error e) {
      sealed.doubt(append);
      throw e;
    }
    try {
      backend.host().journal().awaitDurable(position);
      if (file != null) {
        store.read(
            () -> {
              backend.database().ingest(file);
              return Boolean.TRUE;
            });
      }
      store.publish(batch, position, append);
    } catch (RuntimeException | Error e) {
      // The journal has the batch, so it will be redone: no reader may see the object without it.
      sealed.doubt(append);
      throw e;
    }
    backend.applier().appended();
    return position;
  }
}
