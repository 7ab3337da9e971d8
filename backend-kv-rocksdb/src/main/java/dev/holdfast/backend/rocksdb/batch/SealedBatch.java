package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogChange;
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
 * @param heldFrom the first of the parts that are needed to redo it, which {@link
 *     SealedBatches#hold} keeps; 0 if it has none
 */
public record SealedBatch(
    long position,
    ObjectKey key,
    ObjectPrefix prefix,
    boolean clears,
    List<Change> changes,
    @Nullable CatalogChange catalog,
    long heldFrom) {

  /** A batch that needs its own record only. */
  public SealedBatch(
      long position,
      ObjectKey key,
      ObjectPrefix prefix,
      boolean clears,
      List<Change> changes,
      @Nullable CatalogChange catalog) {
    this(position, key, prefix, clears, changes, catalog, 0);
  }

  /** Estimate of what a batch costs beside its changes. */
  private static final int OVERHEAD_BYTES = 120;

  /** Estimate of what a change of the catalog costs. */
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
