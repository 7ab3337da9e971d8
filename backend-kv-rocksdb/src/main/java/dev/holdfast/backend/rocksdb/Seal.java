package dev.holdfast.backend.rocksdb;

import dev.holdfast.HoldfastException;
import dev.holdfast.backend.rocksdb.batch.Batch;
import dev.holdfast.backend.rocksdb.batch.BufferedWrite;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.Keys;
import dev.holdfast.backend.rocksdb.batch.Pair;
import dev.holdfast.backend.rocksdb.batch.SealedBatches;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import dev.holdfast.backend.rocksdb.file.SpilledPairs;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.CatalogUndo;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Builds a batch from the writes of a turn, with the undo, and appends it to the journal.
 *
 * <p>Owned by the thread that runs the turn.
 */
final class Seal {

  private final RocksDbStore store;
  private final ReadValues known;
  private final @Nullable List<AlarmRecord> alarms;

  /** What the turn has emitted: stays with the batch; null for nothing. */
  private final @Nullable ByteBuffer events;

  /** The size of the last record, the batch. */
  private long bytes;

  Seal(
      RocksDbStore store,
      ReadValues known,
      @Nullable List<AlarmRecord> alarms,
      @Nullable ByteBuffer events) {
    this.alarms = alarms;
    this.events = events;
    this.store = store;
    this.known = known;
  }

  /**
   * Appends the batch.
   *
   * @param writes each key written; its value is null if it is deleted
   * @param cleared whether all keys were deleted before the writes
   * @return the position of the batch; {@link Journal#START} if nothing has changed
   */
  long seal(Map<byte[], BufferedWrite> writes, boolean cleared) {
    CatalogChange.Alarms changed = changedAlarms();
    boolean gone = (cleared || changed != null) && isGone(writes, cleared);
    if (cleared) {
      return sealCleared(writes, changed, gone);
    }
    List<Change> changes = new ArrayList<>(writes.size());
    writes.forEach((name, redo) -> addChange(changes, name, redo.value(), known.get(name, store)));
    return append(Batch.Form.CHANGES, 0, changes, changed, gone);
  }

  long bytes() {
    return bytes;
  }

  private CatalogChange.@Nullable Alarms changedAlarms() {
    return alarms == null || alarms.equals(store.alarms())
        ? null
        : new CatalogChange.Alarms(alarms, store.alarms());
  }

  /** Whether the object has neither pairs nor alarms after the turn. */
  private boolean isGone(Map<byte[], BufferedWrite> writes, boolean cleared) {
    if (!(alarms != null ? alarms : store.alarms()).isEmpty()
        || writes.values().stream().anyMatch(write -> write.value() != null)) {
      return false;
    }
    if (cleared) {
      return true;
    }
    SealedScan pairs = store.scanAll();
    Pair pair = pairs.next();
    while (pair != null && writes.containsKey(pair.key())) {
      pair = pairs.next();
    }
    return pair == null;
  }

  /**
   * Appends a batch that restores an earlier state of the object, even if nothing has changed
   * since.
   *
   * @param past values at an earlier moment, for every key written since; empty if it had none
   * @param catalog the same for the catalog
   * @return its position
   */
  long restore(SpilledPairs past, CatalogUndo catalog) {
    CatalogChange change = catalog.toChange(store.key(), hasPairs(past), store.alarms());
    List<Change> changes = past.isSpilled() ? null : changesTo(past);
    return changes == null
        ? new LargeBatch(store, past).append(RecordKind.RESTORE, change)
        : appendWhenRoom(RecordKind.RESTORE, 0, new Batch(Batch.Form.CHANGES, changes, change));
  }

  /** {@return the changes that make these values current; null if they take too much memory} */
  private @Nullable List<Change> changesTo(SpilledPairs past) {
    List<Change> changes = new ArrayList<>();
    long bytesMax = store.backend().roomForPast().bytesMax();
    long[] bytes = new long[1];
    past.forEach(
        (name, value) -> {
          int count = changes.size();
          addChange(changes, name, value, store.get(name));
          bytes[0] += changes.size() > count ? changes.getLast().bytes() : 0;
          return bytes[0] <= bytesMax;
        });
    return bytes[0] <= bytesMax ? changes : null;
  }

  /** {@return whether the object has pairs once it has these values} */
  private boolean hasPairs(SpilledPairs past) {
    boolean[] anyValue = new boolean[1];
    past.forEach(
        (_, value) -> {
          anyValue[0] = value != null;
          return !anyValue[0];
        });
    if (anyValue[0]) {
      return true;
    }
    SealedScan pairs = store.scanAll();
    Pair pair = pairs.next();
    while (pair != null && past.contains(pair.key())) {
      pair = pairs.next();
    }
    return pair != null;
  }

  /** An equal value is not written, as in the reference. */
  private static void addChange(
      List<Change> changes, byte[] name, byte @Nullable [] redo, byte @Nullable [] undo) {
    if (!Arrays.equals(redo, undo)) {
      changes.add(new Change(name, redo, undo));
    }
  }

  private long sealCleared(
      Map<byte[], BufferedWrite> writes, CatalogChange.@Nullable Alarms changed, boolean gone) {
    SealedScan pairs = store.scanAll();
    List<Pair> first = take(pairs, RocksDbBounds.LISTED_PAIRS_MAX, RocksDbBounds.LISTED_BYTES_MAX);
    Pair next = pairs.next();
    if (next == null) {
      return append(Batch.Form.CHANGES, 0, listed(first, writes), changed, gone);
    }
    first.add(next);
    int parts = keepsUndo() ? appendUndo(first, pairs) : 0;
    List<Change> changes = new ArrayList<>(writes.size());
    writes.forEach((name, redo) -> changes.add(new Change(name, redo.value(), null)));
    return append(Batch.Form.CLEAR, parts, changes, changed, gone);
  }

  private static List<Change> listed(List<Pair> pairs, Map<byte[], BufferedWrite> writes) {
    NavigableMap<byte[], byte[]> before = new TreeMap<>(Keys.ORDER);
    pairs.forEach(pair -> before.put(pair.key(), pair.value()));
    NavigableMap<byte[], BufferedWrite> after = new TreeMap<>(Keys.ORDER);
    pairs.forEach(pair -> after.put(pair.key(), BufferedWrite.DELETED));
    after.putAll(writes);
    List<Change> changes = new ArrayList<>(after.size());
    after.forEach((name, redo) -> addChange(changes, name, redo.value(), before.get(name)));
    return changes;
  }

  /**
   * Appends all pairs of the object, in parts, as the undo of the clear that follows.
   *
   * @return how many parts
   */
  private int appendUndo(List<Pair> first, SealedScan rest) {
    List<Pair> part = new ArrayList<>(first);
    int parts = 0;
    while (!part.isEmpty()) {
      part.addAll(take(rest, Integer.MAX_VALUE, RocksDbBounds.UNDO_PART_BYTES));
      parts++;
      appendUndoPart(parts, part);
      part = take(rest, 1, RocksDbBounds.UNDO_PART_BYTES);
    }
    return parts;
  }

  private void appendUndoPart(int number, List<Pair> pairs) {
    List<Change> changes =
        pairs.stream().map(pair -> new Change(pair.key(), null, pair.value())).toList();
    SealedBatches sealed = store.backend().sealed();
    SealedBatches.Append append = sealed.beginAppend(store.key());
    try {
      appendRecord(
          RecordKind.UNDO_PART,
          store.link(number),
          new Batch(Batch.Form.UNDO_PART, changes).encode(),
          null);
    } finally {
      sealed.withdraw(append);
    }
  }

  private static List<Pair> take(SealedScan pairs, int countMax, int bytesMax) {
    List<Pair> taken = new ArrayList<>();
    int bytes = 0;
    while (taken.size() < countMax && bytes < bytesMax) {
      Pair pair = pairs.next();
      if (pair == null) {
        break;
      }
      taken.add(pair);
      bytes += pair.bytes();
    }
    return taken;
  }

  private long append(
      Batch.Form form,
      int parts,
      List<Change> changes,
      CatalogChange.@Nullable Alarms changed,
      boolean gone) {
    boolean changesNothing = form == Batch.Form.CHANGES && changes.isEmpty() && changed == null;
    if (changesNothing && !(gone && store.listing().endsWithoutChange(store::isListed))) {
      return Journal.START;
    }
    CatalogChange change = store.listing().change(store.key(), changed, gone);
    RecordKind kind = keepsUndo() ? RecordKind.BATCH : RecordKind.BATCH_WITHOUT_UNDO;
    return appendWhenRoom(
        kind, parts, new Batch(form, keepsUndo() ? changes : redoOf(changes), change));
  }

  private boolean keepsUndo() {
    return store.backend().keepsUndo(store.key().namespace());
  }

  private static List<Change> redoOf(List<Change> changes) {
    return changes.stream()
        .map(change -> new Change(change.key(), change.redo(), /* undo= */ null))
        .toList();
  }

  private long appendWhenRoom(RecordKind kind, int parts, Batch made) {
    int bytesMax = store.backend().host().journal().payloadBytesMax();
    if (made.encodedBytes() > bytesMax) {
      throw store.tooLarge(bytesMax);
    }
    Applier applier = store.backend().applier();
    Exception refused = applier.awaitRoom();
    if (refused != null) {
      throw store.failed(
          "takes no writes, and too many wait in memory: " + refused.getMessage(), refused);
    }
    long position = appendSealed(kind, parts, made);
    applier.appended();
    return position;
  }

  private long appendSealed(RecordKind kind, int parts, Batch made) {
    SealedBatches sealed = store.backend().sealed();
    ByteBuffer payload = made.encode();
    ChainLink link = store.link(parts);
    SealedBatches.Append append = sealed.beginAppend(store.key());
    long position;
    try {
      position = appendRecord(kind, link, payload, events);
    } catch (HoldfastException | IllegalArgumentException e) {
      sealed.withdraw(append);
      throw e;
    } catch (RuntimeException | Error e) {
      sealed.doubt(append);
      throw e;
    }
    try {
      store.publish(made, position, append);
    } catch (RuntimeException | Error e) {
      // The journal has the batch, so it will be redone: no reader may see the object without it.
      sealed.doubt(append);
      throw e;
    }
    return position;
  }

  private long appendRecord(
      RecordKind kind, ChainLink link, ByteBuffer payload, @Nullable ByteBuffer emitted) {
    bytes = payload.remaining();
    Journal journal = store.backend().host().journal();
    return journal.append(kind, RocksDbBackend.VIEW_ID, store.key(), link, payload, emitted);
  }
}
