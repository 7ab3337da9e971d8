package dev.holdfast.backend.rocksdb;

import dev.holdfast.spi.CatalogChange;
import dev.holdfast.spi.ObjectKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch that the journal has and the database will get. Immutable.
 *
 * @param position its record in the journal
 * @param key the object
 * @param prefix where the object's keys are in the database
 * @param clears whether all keys of the object are deleted before the changes
 * @param changes what to put and delete
 * @param catalog what changes in the catalog; null for nothing
 */
record SealedBatch(
    long position,
    ObjectKey key,
    ObjectPrefix prefix,
    boolean clears,
    List<Change> changes,
    @Nullable CatalogChange catalog) {

  /** Estimate of what a change costs beside its bytes: map entry, record and two array headers. */
  private static final int CHANGE_OVERHEAD_BYTES = 120;

  /** Estimate of what a change of the catalog costs. */
  private static final int CATALOG_BYTES = 300;

  /** {@return about how much memory the batch takes as long as it is pending} */
  long bytes() {
    long bytes = (long) CHANGE_OVERHEAD_BYTES + (catalog == null ? 0 : CATALOG_BYTES);
    for (Change change : changes) {
      bytes += CHANGE_OVERHEAD_BYTES + change.key().length;
      bytes += lengthOf(change.redo()) + lengthOf(change.undo());
    }
    return bytes;
  }

  private static int lengthOf(byte @Nullable [] bytes) {
    return bytes == null ? 0 : bytes.length;
  }
}
