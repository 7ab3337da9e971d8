package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Pair;
import dev.holdfast.backend.rocksdb.database.Database.End;
import dev.holdfast.backend.rocksdb.database.Database.Scanned;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import dev.holdfast.spi.KeyRange;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * Reads a range into the block cache, from the first block that is missing. The pairs that were
 * read are discarded: a turn that reads them again sees their current values.
 *
 * <p>Used by one thread at a time.
 */
final class RangePrefetch implements Runnable {

  private final RocksDbStore store;
  private final ScanRest rest;
  private long pairsLeft;
  private long bytesLeft = RocksDbBounds.PREFETCH_BYTES_MAX;

  private RangePrefetch(RocksDbStore store, KeyRange range) {
    this.store = store;
    this.rest =
        new ScanRest(
            store.prefix(),
            range.startInclusive(),
            range.endExclusive(),
            range.reverse(),
            range.limit());
    this.pairsLeft = range.limit();
  }

  /** {@return a task that reads a range; null if all of it is in memory} */
  static @Nullable RangePrefetch of(RocksDbStore store, KeyRange range) {
    RangePrefetch prefetch = new RangePrefetch(store, range);
    try {
      return prefetch.isInMemory() ? null : prefetch;
    } catch (RocksDBException e) {
      throw store.failed("cannot be read: " + e.getMessage(), e);
    }
  }

  private boolean isInMemory() throws RocksDBException {
    while (isWanted()) {
      Scanned scanned = store.backend().database().scanMemory(rest.next());
      took(scanned);
      if (scanned.end() == End.OF_MEMORY) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void run() {
    store.read(
        () -> {
          while (isWanted()) {
            took(store.backend().database().scan(rest.next()));
          }
          return true;
        });
  }

  private boolean isWanted() {
    return !rest.isAtEnd() && pairsLeft > 0 && bytesLeft > 0;
  }

  private void took(Scanned scanned) {
    rest.took(scanned);
    pairsLeft -= scanned.pairs().size();
    for (Pair pair : scanned.pairs()) {
      bytesLeft -= pair.bytes();
    }
  }
}
