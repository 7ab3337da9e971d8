package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogChange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch that is in the journal and will be written to the database. Immutable.
 *
 * @param position its record in the journal
 * @param key the object
 * @param prefix the prefix of the object's keys in the database
 * @param clears whether all keys of the object are deleted before the changes
 * @param changes the pairs to put and the keys to delete
 * @param catalog the change of the catalog; null for none
 * @param heldFrom the position of the first part that is needed to redo it, kept by {@link
 *     SealedBatches#hold}; 0 if it has none
 */
public record SealedBatch(
    long position,
    ObjectKey key,
    ObjectPrefix prefix,
    boolean clears,
    List<Change> changes,
    @Nullable CatalogChange catalog,
    long heldFrom) {

  /** Creates a batch that needs only its own record. */
  public SealedBatch(
      long position,
      ObjectKey key,
      ObjectPrefix prefix,
      boolean clears,
      List<Change> changes,
      @Nullable CatalogChange catalog) {
    this(position, key, prefix, clears, changes, catalog, 0);
  }

  /** Estimated memory of a batch in addition to its changes. */
  private static final int OVERHEAD_BYTES = 120;

  /** Estimated memory of a change of the catalog. */
  private static final int CATALOG_BYTES = 300;

  /** {@return the lowest position that is needed to redo the batch} */
  public long neededFrom() {
    return heldFrom == 0 ? position : heldFrom;
  }

  /** {@return about how much memory the batch takes as long as it is pending} */
  public long bytes() {
    long bytes = (long) OVERHEAD_BYTES + (catalog == null ? 0 : CATALOG_BYTES);
    for (Change change : changes) {
      bytes += change.bytes();
    }
    return bytes;
  }
}
