package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.file.SpilledPairs;
import dev.holdfast.spi.catalog.CatalogUndo;

/**
 * The values of an object at an earlier moment, for every key written since: later batches are
 * undone one by one, newest first. Owned by one thread.
 */
final class PastValues implements AutoCloseable {

  private final SpilledPairs values;

  private final CatalogUndo catalog = new CatalogUndo();

  PastValues(SpilledPairs.Room room) {
    values = new SpilledPairs(room);
  }

  /** Undoes a batch, or a part of the undo of the batch undone before. */
  void undo(Batch batch) {
    catalog.undo(batch.catalog());
    for (Change change : batch.changes()) {
      // The record of a clear has no undo: the deleted pairs are in the parts, which are undone
      // next.
      values.put(change.key(), change.undo());
    }
  }

  CatalogUndo catalog() {
    return catalog;
  }

  /** {@return the values by key; null for a key that had no value} */
  SpilledPairs values() {
    return values;
  }

  @Override
  public void close() {
    values.close();
  }
}
