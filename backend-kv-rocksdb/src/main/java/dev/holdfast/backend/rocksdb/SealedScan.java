package dev.holdfast.backend.rocksdb;

import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.batch.Pair;
import dev.holdfast.backend.rocksdb.batch.UnappliedWrites;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.backend.rocksdb.database.Database.End;
import dev.holdfast.backend.rocksdb.database.Database.ScanPart;
import dev.holdfast.backend.rocksdb.database.Database.Scanned;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * The sealed pairs of an object in a range: the pairs of the database, overlaid with the pending
 * writes.
 *
 * <p>The pending writes are copied first, then the database is read in parts. Batches that reach
 * the database in between do no harm: the copy also has them, and takes precedence. No native
 * iterator stays open between two calls, so nothing has to be closed, and another thread can read a
 * part that is not in memory.
 *
 * <p>Owned by the thread that runs the turn.
 */
final class SealedScan {

  /** The expected number of pairs if nothing is known: many scans end after their first pairs. */
  static final int FEW_PAIRS = 32;

  private final RocksDbStore store;
  private final Comparator<byte[]> order;
  private final NavigableMap<byte[], UnappliedWrites.Write> pending;

  private final ScanRest rest;

  /** The part read last from the database, and how much of it has been returned. */
  private List<Pair> read = List.of();

  private int taken;

  private Map.@Nullable Entry<byte[], UnappliedWrites.Write> nextPending;

  SealedScan(
      RocksDbStore store,
      byte @Nullable [] startInclusive,
      byte @Nullable [] endExclusive,
      boolean reverse,
      int pairsExpected) {
    this.store = store;
    this.order = reverse ? Keys.ORDER.reversed() : Keys.ORDER;
    this.rest = new ScanRest(store.prefix(), startInclusive, endExclusive, reverse, pairsExpected);
    UnappliedWrites writes = rest.isAtEnd() ? null : store.backend().backlog().of(store.key());
    if (writes == null) {
      this.pending = java.util.Collections.emptyNavigableMap();
    } else {
      UnappliedWrites.Range range = writes.range(startInclusive, endExclusive);
      this.pending = reverse ? range.writes().descendingMap() : range.writes();
      if (range.cleared()) {
        rest.end();
      }
    }
    this.nextPending = pending.firstEntry();
  }

  /** {@return the next pair; null at the end} */
  @Nullable Pair next() {
    while (true) {
      Pair fromDatabase = peekDatabase();
      Map.Entry<byte[], UnappliedWrites.Write> fromPending = nextPending;
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
    while (taken >= read.size() && !rest.isAtEnd()) {
      readPart();
    }
    return taken < read.size() ? read.get(taken) : null;
  }

  private void readPart() {
    ScanPart part = rest.next();
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
    rest.took(scanned);
    read = scanned.pairs();
    taken = 0;
  }

  private Scanned scanMemory(Database database, ScanPart part) {
    try {
      return database.scanMemory(part);
    } catch (RocksDBException e) {
      throw store.failed("cannot be read: " + e.getMessage(), e);
    }
  }
}
