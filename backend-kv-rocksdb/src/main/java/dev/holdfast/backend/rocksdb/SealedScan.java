package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.Database.End;
import dev.holdfast.backend.rocksdb.Database.ScanPart;
import dev.holdfast.backend.rocksdb.Database.Scanned;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The sealed pairs of an object in a range: those of the database with what is pending laid over.
 *
 * <p>What is pending is copied first, then the database is read in parts. Batches that arrive in
 * the database in between do no harm: the copy has them too, and wins. No native iterator stays
 * open between two calls, so that nothing has to be closed, and a part that is not in memory can be
 * read on another thread.
 *
 * <p>Owned by the thread that runs the turn.
 */
final class SealedScan {

  /** What to expect if nothing is known: many a scan ends with its first pairs. */
  static final int FEW_PAIRS = 32;

  private static final int PAIRS_MAX = 1_024;
  private static final int BYTES_MAX = 256 << 10;

  private final RocksDbStore store;
  private final boolean reverse;
  private final Comparator<byte[]> order;
  private final NavigableMap<byte[], PendingWrites.Write> pending;

  // What is left to read of the database, as keys there.
  private byte[] start;
  private byte[] end;
  private boolean exhausted;
  private int nextPairs;

  /** What was read of the database last, and how much of it has been returned. */
  private List<Pair> read = List.of();

  private int taken;

  private Map.@Nullable Entry<byte[], PendingWrites.Write> nextPending;

  SealedScan(
      RocksDbStore store,
      byte @Nullable [] startInclusive,
      byte @Nullable [] endExclusive,
      boolean reverse,
      int pairsExpected) {
    this.store = store;
    this.reverse = reverse;
    this.nextPairs = Math.min(pairsExpected, PAIRS_MAX);
    this.order = reverse ? Keys.ORDER.reversed() : Keys.ORDER;
    ObjectPrefix prefix = store.prefix();
    this.start = startInclusive == null ? prefix.start() : prefix.with(startInclusive);
    this.end = endExclusive == null ? prefix.end() : prefix.with(endExclusive);
    this.exhausted = Keys.isEmpty(startInclusive, endExclusive);
    PendingWrites writes = exhausted ? null : store.backend().overlay().of(store.key());
    if (writes == null) {
      this.pending = java.util.Collections.emptyNavigableMap();
    } else {
      PendingWrites.Range range = writes.range(startInclusive, endExclusive);
      this.pending = reverse ? range.writes().descendingMap() : range.writes();
      this.exhausted = range.cleared();
    }
    this.nextPending = pending.firstEntry();
  }

  /** {@return the next pair; null at the end} */
  @Nullable Pair next() {
    while (true) {
      Pair fromDatabase = peekDatabase();
      Map.Entry<byte[], PendingWrites.Write> fromPending = nextPending;
      if (fromPending == null) {
        taken++;
        return fromDatabase;
      }
      int comparison =
          fromDatabase == null ? -1 : order.compare(fromPending.getKey(), fromDatabase.key());
      if (comparison >= 0) {
        taken++;
      }
      if (comparison > 0) {
        return fromDatabase;
      }
      nextPending = pending.higherEntry(fromPending.getKey());
      byte[] value = fromPending.getValue().value();
      if (value != null) {
        return new Pair(fromPending.getKey(), value);
      }
    }
  }

  private @Nullable Pair peekDatabase() {
    while (taken >= read.size() && !exhausted) {
      readPart();
    }
    return taken < read.size() ? read.get(taken) : null;
  }

  private void readPart() {
    ScanPart part = new ScanPart(start, end, reverse, nextPairs, BYTES_MAX);
    Database database = store.backend().database();
    Scanned scanned;
    if (Thread.currentThread().isVirtual()) {
      scanned = scanMemory(database, part);
      if (scanned.end() == End.OF_MEMORY && scanned.pairs().isEmpty()) {
        scanned = store.read(() -> database.scan(part));
      }
    } else {
      scanned = store.read(() -> database.scan(part));
    }
    read = scanned.pairs();
    taken = 0;
    exhausted = scanned.end() == End.OF_RANGE;
    nextPairs = Math.min(PAIRS_MAX, nextPairs * 4);
    if (!scanned.pairs().isEmpty()) {
      byte[] last = store.prefix().with(scanned.pairs().getLast().key());
      if (reverse) {
        end = last;
      } else {
        start = Keys.after(last);
      }
    }
  }

  private Scanned scanMemory(Database database, ScanPart part) {
    try {
      return database.scanMemory(part);
    } catch (RocksDBException e) {
      throw store.failed("cannot be read: " + e.getMessage(), e);
    }
  }
}
