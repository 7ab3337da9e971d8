package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.database.Database.End;
import dev.holdfast.backend.rocksdb.database.Database.ScanPart;
import dev.holdfast.backend.rocksdb.database.Database.Scanned;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import org.jspecify.annotations.Nullable;

/**
 * The rest of a range in the database, read one part at a time. The parts grow: many scans end
 * after their first pairs, and each part has its own native iterator.
 *
 * <p>Owned by one thread at a time.
 */
final class ScanRest {

  private final ObjectPrefix prefix;
  private final boolean reverse;

  // As keys of the database.
  private byte[] start;
  private byte[] end;

  private int nextPairs;
  private boolean atEnd;

  ScanRest(
      ObjectPrefix prefix,
      byte @Nullable [] startInclusive,
      byte @Nullable [] endExclusive,
      boolean reverse,
      int pairsExpected) {
    this.prefix = prefix;
    this.reverse = reverse;
    this.start = startInclusive == null ? prefix.start() : prefix.with(startInclusive);
    this.end = endExclusive == null ? prefix.end() : prefix.with(endExclusive);
    this.nextPairs = Math.min(pairsExpected, RocksDbBounds.SCAN_REST_PAIRS_MAX);
    this.atEnd = Keys.isEmpty(startInclusive, endExclusive);
  }

  /** {@return whether nothing is left} */
  boolean isAtEnd() {
    return atEnd;
  }

  /** Discards the rest. */
  void end() {
    atEnd = true;
  }

  /** {@return the next part to read} */
  ScanPart next() {
    return new ScanPart(start, end, reverse, nextPairs, RocksDbBounds.SCAN_REST_BYTES_MAX);
  }

  /** Records the result of the next part. */
  void took(Scanned scanned) {
    atEnd = scanned.end() == End.OF_RANGE;
    nextPairs = Math.min(RocksDbBounds.SCAN_REST_PAIRS_MAX, nextPairs * 4);
    if (!scanned.pairs().isEmpty()) {
      byte[] last = prefix.with(scanned.pairs().getLast().key());
      if (reverse) {
        end = last;
      } else {
        start = Keys.after(last);
      }
    }
  }
}
