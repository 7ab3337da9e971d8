package dev.holdfast.pitr;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
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
 * Which objects are to be brought back, and which have been: a view of the journal without files.
 * It lives in memory and in the journal alone. Its old records are made superfluous by writing what
 * is known once more, at the journal's end: there are few objects that were ever restored.
 *
 * <p>A restore is noted by the backend's record of kind {@link RecordKind#RESTORE}, not by one of
 * the ledger: so the restore and the end of its request are one record, and no crash comes between.
 *
 * <p>Thread-safe.
 */
final class RestoreLedger {

  static final int VIEW_ID = 16;

  private final Journal journal;
  private final JournalHistory history;

  /** What is known of each object that has restores, and from where on the journal is needed. */
  private final Map<ObjectKey, Entry> entries = new ConcurrentHashMap<>();

  /** From where on somebody reads the history at this moment; which must not go meanwhile. */
  private final List<Long> readings = new CopyOnWriteArrayList<>();

  /** What is asked often. */
  private volatile boolean anyPending;

  /**
   * What is known of an object.
   *
   * @param neededPosition the record that says so, or the first of several
   * @param floor what the pending restore needs of the history; the largest long if nothing
   * @param isRestoring while the backend appends its record nothing may be written about the object
   */
  private record Entry(
      ObjectRestores restores, long neededPosition, long floor, boolean isRestoring) {}

  RestoreLedger(Journal journal, JournalHistory history) {
    this.journal = journal;
    this.history = history;
  }

  // ---- As a view ----------------------------------------------------------------------------

  void recover(RecoveryLog log) {
    log.forEach(
        (viewId, kind) -> viewId == VIEW_ID || kind == RecordKind.RESTORE,
        record -> recover(record));
    notePending();
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
          entries.remove(key);
          note(key, record.position(), known);
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
    entries.compute(
        key,
        (_, old) ->
            new Entry(
                restores,
                old == null ? position : old.neededPosition(),
                floorOf(restores),
                old != null && old.isRestoring()));
  }

  private static long floorOf(ObjectRestores restores) {
    PendingRestore pending = restores.pending();
    return pending == null || pending.target().isEndOfEpoch()
        ? Long.MAX_VALUE
        : pending.target().position() + 1;
  }

  private void notePending() {
    anyPending = entries.values().stream().anyMatch(each -> each.restores().pending() != null);
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

  /** Does something while the history stays from a position on, as far as it is there now. */
  <T extends @Nullable Object> T reading(long position, Supplier<T> work) {
    Long noted = position;
    readings.add(noted);
    try {
      return work.get();
    } finally {
      readings.remove(noted);
    }
  }

  /**
   * Writes again what is known of objects whose records lie before a position. The mark that lets
   * the old records go is written later than the new ones, so it is durable only with them.
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
    if (restores.pending() == null && isForgotten(restores)) {
      entries.remove(key);
      return;
    }
    long renewed = journal.lastPosition() + 1;
    append(key, new RestoreRecord.Known(restores));
    entries.put(key, new Entry(restores, renewed, entry.floor(), false));
  }

  /** The last restore must stay: the epoch of later bookmarks must not become smaller. */
  private static boolean isForgotten(ObjectRestores restores) {
    return restores.done().isEmpty();
  }

  // ---- What is known ------------------------------------------------------------------------

  ObjectRestores restores(ObjectKey key) {
    Entry entry = entries.isEmpty() ? null : entries.get(key);
    return entry == null ? ObjectRestores.NONE : entry.restores();
  }

  boolean isPending(ObjectKey key) {
    return anyPending && restores(key).pending() != null;
  }

  // ---- What is asked for --------------------------------------------------------------------

  /**
   * Notes a request.
   *
   * @param check throws if the target cannot be reached; called when nothing that it needs is
   *     dropped any more
   * @return the position of the request
   */
  synchronized long request(ObjectKey key, Bookmark target, Runnable check) {
    awaitRestored(key);
    long needed = journal.lastPosition() + 1;
    ObjectRestores before = restores(key);
    // Before the append: who asks for the mark meanwhile must not let the new record go. And before
    // the check: retention must not drop what was just found to be there.
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

  /** A request must not come between a restore and its record, which would end it. */
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

  /** {@return the position of the record that takes a request back; that of nothing if none was} */
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
   * Sees to it that the journal has its id on the disk, which bookmarks carry: a journal without
   * records gets another one when it is opened again, and would refuse them.
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

  /** {@return what the backend is to do now; null for nothing} */
  synchronized @Nullable PendingRestore beginRestore(ObjectKey key) {
    PendingRestore pending = restores(key).pending();
    if (pending != null) {
      setRestoring(key, true);
    }
    return pending;
  }

  /** Ends what was begun, whether it was done or not. */
  synchronized void endRestore(ObjectKey key) {
    setRestoring(key, false);
    notifyAll();
  }

  private void setRestoring(ObjectKey key, boolean isRestoring) {
    entries.computeIfPresent(
        key, (_, old) -> new Entry(old.restores(), old.neededPosition(), old.floor(), isRestoring));
  }

  synchronized void restored(ObjectKey key, long position, long wallMillis) {
    note(key, position, restores(key).restored(position, wallMillis));
    notePending();
  }

  private long append(ObjectKey key, RestoreRecord record) {
    return journal.append(RecordKind.BATCH, VIEW_ID, key, record.encode());
  }
}
