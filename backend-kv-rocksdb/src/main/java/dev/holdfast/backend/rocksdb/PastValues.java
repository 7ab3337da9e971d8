package dev.holdfast.backend.rocksdb;

import dev.holdfast.spi.CatalogUndo;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The values of an object at an earlier moment, of every key that was written since: later batches
 * are undone one by one, newest first. Owned by one thread.
 */
final class PastValues {

  private final Map<byte[], Optional<byte[]>> values = new TreeMap<>(Keys.ORDER);

  private final CatalogUndo catalog = new CatalogUndo();

  /** Goes back behind a batch, or a part of the undo of the one undone before. */
  void undo(Batch batch) {
    catalog.undo(batch.catalog());
    for (Change change : batch.changes()) {
      // A clear has no undo of its own: what was there comes with the parts, which are undone next.
      values.put(change.key(), Optional.ofNullable(change.undo()));
    }
  }

  CatalogUndo catalog() {
    return catalog;
  }

  /** {@return the values by key; empty where there was none} */
  Map<byte[], Optional<byte[]>> values() {
    return values;
  }
}
