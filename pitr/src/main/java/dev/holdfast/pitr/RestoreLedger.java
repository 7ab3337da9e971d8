package dev.holdfast.pitr;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.pitr.RestoreRecord.Purged;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery.Purge;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records which objects are to be restored, and which have been: a view of the journal without
 * files. Its data is in memory and in the journal only. Writing the present state again at the end
 * of the journal makes its old records superfluous: few objects are ever restored.
 *
 * <p>A restore is recorded by the backend's record of kind {@link RecordKind#RESTORE}, not by one
 * of the ledger: so the restore and the end of its request are one record, and no crash can
 * separate them.
 *
 * <p>Thread-safe.
 */
final class RestoreLedger {

  static final int VIEW_ID = 16;

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  private final Journal journal;
  private final JournalHistory history;

  /**
   * The state of each object that has restores, and the position from which on the journal is
   * needed.
   */
  private final Map<ObjectKey, Entry> entries = new ConcurrentHashMap<>();

  /**
   * The positions from which on the history is being read now; it must not be removed meanwhile.
   */
  private final List<Long> readings = new CopyOnWriteArrayList<>();

  /** How many requests are pending. Guarded by this. */
  private int pendingCount;

  /** A cache of the most frequent query. */
  private volatile boolean anyPending;

  /**
   * The state of an object.
   *
   * @param neededPosition the position of the record that states it, or of the first of several
   * @param floor the position from which on the pending restore needs the history; the largest long
   *     if none
   * @param isRestoring whether the backend is appending its record; no record about the object may
   *     be written meanwhile
   * @param purged what has left the history of the object; null for nothing
   */
  private record Entry(
      ObjectRestores restores,
      long neededPosition,
      long floor,
      boolean isRestoring,
      @Nullable Purged purged) {

    Entry withPurged(@Nullable Purged other) {
      return new Entry(restores, neededPosition, floor, isRestoring, other);
    }
  }

  RestoreLedger(Journal journal, JournalHistory history) {
    this.journal = journal;
    this.history = history;
  }

  // ---- As a view ----------------------------------------------------------------------------

  void recover(RecoveryLog log) {
    log.forEach(
        (viewId, kind) -> viewId == VIEW_ID || kind == RecordKind.RESTORE,
        record -> recover(record));
    withdrawWithoutHistory();
    countPending();
  }

  /**
   * A directory that was restored from an archive can have a request without the history that it
   * needs, which never comes back: the object would be refused for ever. The journal may have the
   * request until its state is written again; each opening decides the same.
   */
  private synchronized void withdrawWithoutHistory() {
    long oldest = history.oldestPosition();
    entries.replaceAll(
        (key, entry) -> {
          if (entry.floor() >= oldest) {
            return entry;
          }
          LOG.log(
              LogEvent.RESTORE_WITHDRAWN.level(),
              LogEvent.RESTORE_WITHDRAWN.line(
                  "The requested restore of "
                      + key
                      + " is withdrawn: its history begins after the state that was asked for, as"
                      + " in a directory that was restored from an archive. The object is as it"
                      + " was before the request."));
          return new Entry(
              entry.restores().withdrawn(),
              entry.neededPosition(),
              Long.MAX_VALUE,
              entry.isRestoring(),
              entry.purged());
        });
  }

  private synchronized void recover(JournalRecord record) {
    ObjectKey key = record.key();
    if (record.kind() == RecordKind.RESTORE) {
      note(key, record.position(), restores(key).restored(record.position(), record.wallMillis()));
    } else if (record.viewId() == VIEW_ID) {
      switch (decode(record)) {
        case RestoreRecord.Requested(Bookmark target) ->
            note(key, record.position(), restores(key).requested(record.position(), target));
        case RestoreRecord.Withdrawn() -> {
          if (entries.containsKey(key)) {
            note(key, record.position(), restores(key).withdrawn());
          }
        }
        case RestoreRecord.NoBatch _ -> {}
        case RestoreRecord.Known(ObjectRestores known) -> {
          // The record of a purge is written after this one, and a crash could come between them.
          Entry before = entries.remove(key);
          note(key, record.position(), known);
          notePurged(key, before == null ? null : before.purged());
        }
        case Purged purged -> {
          note(key, record.position(), restores(key));
          notePurged(key, purged);
        }
      }
    }
  }

  private static RestoreRecord decode(JournalRecord record) {
    try {
      return RestoreRecord.decode(record.payload());
    } catch (IllegalArgumentException e) {
      throw new DataDirectoryException(
          Path.of("journal"),
          "Record "
              + record.position()
              + " about restores of "
              + record.key()
              + " cannot be read: "
              + e.getMessage()
              + ". It may have been written by a newer version: use that one",
          e);
    }
  }

  private void note(ObjectKey key, long position, ObjectRestores restores) {
    assert Thread.holdsLock(this);
    Entry old = entries.get(key);
    entries.put(
        key,
        new Entry(
            restores,
            old == null ? position : old.neededPosition(),
            floorOf(restores),
            old != null && old.isRestoring(),
            old == null ? null : old.purged()));
    boolean wasPending = old != null && old.restores().pending() != null;
    pendingCount += (restores.pending() == null ? 0 : 1) - (wasPending ? 1 : 0);
  }

  private void notePurged(ObjectKey key, @Nullable Purged purged) {
    entries.computeIfPresent(key, (_, entry) -> entry.withPurged(purged));
  }

  private static long floorOf(ObjectRestores restores) {
    PendingRestore pending = restores.pending();
    return pending == null || pending.target().isEndOfEpoch()
        ? Long.MAX_VALUE
        : pending.target().position() + 1;
  }

  private synchronized void countPending() {
    pendingCount =
        (int) entries.values().stream().filter(each -> each.restores().pending() != null).count();
    notePending();
  }

  private void notePending() {
    assert Thread.holdsLock(this);
    anyPending = pendingCount > 0;
  }

  long lowWaterMark() {
    long mark = Long.MAX_VALUE;
    for (Entry entry : entries.values()) {
      mark = Math.min(mark, entry.neededPosition());
    }
    return mark;
  }

  long historyFloor() {
    long floor = Long.MAX_VALUE;
    for (Entry entry : entries.values()) {
      floor = Math.min(floor, entry.floor());
    }
    for (long reading : readings) {
      floor = Math.min(floor, reading);
    }
    return floor;
  }

  /** Runs work while the history from a position on, as far as it exists now, is kept. */
  <T extends @Nullable Object> T reading(long position, Supplier<T> work) {
    Long asked = position;
    readings.add(asked);
    try {
      return work.get();
    } finally {
      readings.remove(asked);
    }
  }

  /**
   * Writes the state of objects again whose records are before a position. The mark that releases
   * the old records is written after the new ones, so it is durable only with them.
   */
  void renewBefore(long position) {
    List<ObjectKey> old = new ArrayList<>();
    entries.forEach(
        (key, entry) -> {
          if (entry.neededPosition() < position) {
            old.add(key);
          }
        });
    old.forEach(this::renew);
  }

  private synchronized void renew(ObjectKey key) {
    Entry entry = entries.get(key);
    if (entry == null || entry.isRestoring()) {
      return;
    }
    ObjectRestores restores = entry.restores().withoutBefore(history.oldestPosition());
    Purged purged = entry.purged();
    if (purged != null && purged.isDone() && purged.position() < history.oldestPosition()) {
      purged = null; // nothing of that time is kept
    }
    if (restores.pending() == null && isForgotten(restores) && purged == null) {
      entries.remove(key);
      return;
    }
    long renewed = journal.lastPosition() + 1;
    if (purged == null || restores.pending() != null || !isForgotten(restores)) {
      append(
          key, new RestoreRecord.Known(restores)); // few of the purged objects were ever restored
    }
    if (purged != null) {
      append(key, purged);
    }
    entries.put(key, new Entry(restores, renewed, entry.floor(), false, purged));
  }

  /** The last restore must stay: the epoch of later bookmarks must not become smaller. */
  private static boolean isForgotten(ObjectRestores restores) {
    return restores.done().isEmpty();
  }

  // ---- State --------------------------------------------------------------------------------

  ObjectRestores restores(ObjectKey key) {
    Entry entry = entries.isEmpty() ? null : entries.get(key);
    return entry == null ? ObjectRestores.NONE : entry.restores();
  }

  boolean isPending(ObjectKey key) {
    return anyPending && restores(key).pending() != null;
  }

  // ---- Requests -----------------------------------------------------------------------------

  /**
   * Records a request.
   *
   * @param check throws if the target cannot be reached; called once all records that it needs are
   *     protected from retention
   * @return the position of the request
   */
  synchronized long request(ObjectKey key, Bookmark target, Runnable check) {
    awaitRestored(key);
    long needed = journal.lastPosition() + 1;
    ObjectRestores before = restores(key);
    // Before the append: a concurrent query of the mark must not release the new record. And before
    // the check: retention must not remove records that were just found.
    note(key, needed, before.requested(needed, target));
    boolean appended = false;
    try {
      check.run();
      long position = append(key, new RestoreRecord.Requested(target));
      note(key, position, before.requested(position, target));
      appended = true;
      return position;
    } finally {
      if (!appended) {
        note(key, needed, before);
      }
      notePending();
    }
  }

  /** A request must not come between a restore and its record, which would complete the request. */
  private synchronized void awaitRestored(ObjectKey key) {
    boolean interrupted = false;
    Entry entry = entries.get(key);
    while (entry != null && entry.isRestoring()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
      entry = entries.get(key);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * {@return the position of the record that withdraws a request; {@link Journal#START} if there
   * was none}
   */
  synchronized long withdraw(ObjectKey key) {
    awaitRestored(key);
    if (!isPending(key)) {
      return Journal.START;
    }
    long position = append(key, new RestoreRecord.Withdrawn());
    note(key, position, restores(key).withdrawn());
    notePending();
    return position;
  }

  /**
   * Ensures that the id of the journal, which bookmarks contain, is on disk: a journal without
   * records gets another id when it is opened again, and would refuse the bookmarks.
   */
  void makeJournalDurable(ObjectKey key) {
    if (journal.durablePosition() == Journal.START) {
      if (journal.lastPosition() == Journal.START) {
        append(key, new RestoreRecord.Withdrawn());
      }
      journal.awaitDurable(journal.lastPosition());
    }
  }

  long noBatch(ObjectKey key, long afterPosition) {
    return append(key, new RestoreRecord.NoBatch(afterPosition));
  }

  // ---- Purges -------------------------------------------------------------------------------

  /**
   * Records that the history up to the end of the journal is gone, and withdraws a request.
   *
   * @return what is purged
   */
  synchronized Purge purge(ObjectKey key) {
    withdraw(key);
    Purged purged = new Purged(journal.lastPosition(), /* isDone= */ false);
    // Before the append: a concurrent query of the mark must not release the new record.
    note(key, purged.position() + 1, restores(key));
    notePurged(key, purged);
    append(key, purged);
    return new Purge(key, purged.position());
  }

  /**
   * Records that nothing of a purged history is left in the data directory. A later purge of the
   * object has another extent, and ends by itself.
   */
  synchronized void purgeDone(Purge purge) {
    ObjectKey key = purge.key();
    Entry entry = entries.get(key);
    Purged purged = entry == null ? null : entry.purged();
    if (purged != null && !purged.isDone() && purged.position() == purge.upTo()) {
      Purged done = new Purged(purged.position(), /* isDone= */ true);
      notePurged(key, done);
      append(key, done);
    }
  }

  /**
   * {@return the position up to which the history of an object is gone; 0 if nothing was purged}
   */
  long purgedTo(ObjectKey key) {
    Entry entry = entries.isEmpty() ? null : entries.get(key);
    Purged purged = entry == null ? null : entry.purged();
    return purged == null ? 0 : purged.position();
  }

  /** {@return the purges of what may be in the history that is kept} */
  List<Purge> purges() {
    long oldest = history.oldestPosition();
    List<Purge> found = new ArrayList<>();
    entries.forEach(
        (key, entry) -> {
          Purged purged = entry.purged();
          if (purged != null && purged.position() >= oldest) {
            found.add(new Purge(key, purged.position()));
          }
        });
    return found;
  }

  /** {@return the purges that have not ended} */
  List<Purge> unfinishedPurges() {
    List<Purge> unfinished = new ArrayList<>();
    entries.forEach(
        (key, entry) -> {
          Purged purged = entry.purged();
          if (purged != null && !purged.isDone()) {
            unfinished.add(new Purge(key, purged.position()));
          }
        });
    return unfinished;
  }

  /** {@return the restore that the backend must do now; null if none} */
  synchronized @Nullable PendingRestore beginRestore(ObjectKey key) {
    assert !isRestoring(key);
    PendingRestore pending = restores(key).pending();
    if (pending != null) {
      setRestoring(key, true);
    }
    return pending;
  }

  /** Ends a restore that was begun, whether it succeeded or not. */
  synchronized void endRestore(ObjectKey key) {
    setRestoring(key, false);
    notifyAll();
  }

  private boolean isRestoring(ObjectKey key) {
    Entry entry = entries.get(key);
    return entry != null && entry.isRestoring();
  }

  private void setRestoring(ObjectKey key, boolean isRestoring) {
    assert Thread.holdsLock(this);
    entries.computeIfPresent(
        key,
        (_, old) ->
            new Entry(
                old.restores(), old.neededPosition(), old.floor(), isRestoring, old.purged()));
  }

  synchronized void restored(ObjectKey key, long position, long wallMillis) {
    note(key, position, restores(key).restored(position, wallMillis));
    notePending();
  }

  private long append(ObjectKey key, RestoreRecord record) {
    return journal.append(RecordKind.NOTE, VIEW_ID, key, record.encode());
  }
}
