package dev.holdfast.pitr;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.HoldfastException;
import dev.holdfast.TimeSource;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.recovery.HistoryEntry;
import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.Restoration;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Point-in-time recovery from the journal: a restore undoes each later batch, newest first. There
 * are no snapshots.
 *
 * <p>Thread-safe, except as {@link PointInTimeRecovery} states.
 */
public final class JournaledRecovery implements PointInTimeRecovery {

  /** The view id of this module's records; it never changes. */
  public static final int VIEW_ID = RestoreLedger.VIEW_ID;

  /** Before any position: no part of the history is removed while it is read. */
  private static final long ALL = 0;

  private final Journal journal;
  private final JournalHistory history;
  private final TimeSource time;
  private final Function<String, Duration> windows;
  private final RestoreLedger ledger;
  private final Moments moments;

  /**
   * Creates the recovery. Call {@link #recover} before anything else.
   *
   * @param journal records the requests
   * @param history the history of the objects
   * @param time the clock of the journal's records
   * @param windows for each namespace, how far back its objects can be restored; zero for no
   *     history
   */
  public JournaledRecovery(
      Journal journal, JournalHistory history, TimeSource time, Map<String, Duration> windows) {
    this(journal, history, time, windowIn(Map.copyOf(windows)));
  }

  /**
   * Creates the recovery for namespaces that are not known yet.
   *
   * @param journal records the requests
   * @param history the history of the objects
   * @param time the clock of the journal's records
   * @param windows gives for a namespace how far back its objects can be restored; zero for no
   *     history
   */
  public JournaledRecovery(
      Journal journal,
      JournalHistory history,
      TimeSource time,
      Function<String, Duration> windows) {
    this.journal = journal;
    this.history = history;
    this.time = time;
    this.windows = windows;
    this.ledger = new RestoreLedger(journal, history);
    this.moments = new Moments(history, ledger);
  }

  private static Function<String, Duration> windowIn(Map<String, Duration> windows) {
    return namespace -> windows.getOrDefault(namespace, Duration.ZERO);
  }

  // ---- As a view ----------------------------------------------------------------------------

  @Override
  public int viewId() {
    return VIEW_ID;
  }

  @Override
  public void recover(RecoveryLog log) {
    ledger.recover(log);
  }

  @Override
  public long lowWaterMark() {
    return ledger.lowWaterMark();
  }

  @Override
  public void checkpointBefore(long position) {
    if (journal.failure() == null) {
      ledger.renewBefore(position);
    }
  }

  @Override
  public long historyFloor() {
    return ledger.historyFloor();
  }

  // ---- Bookmarks ----------------------------------------------------------------------------

  @Override
  public String bookmark(ObjectKey key, long position, boolean withNextBatch) {
    requireOn(key);
    // The state at the end of a purge is the present one, and an earlier position is refused.
    long from = Math.max(position, ledger.purgedTo(key));
    long epoch = ledger.restores(key).epochAt(from);
    return text(key, new Bookmark(epoch, from, withNextBatch));
  }

  @Override
  public long noBatchFollowed(ObjectKey key, long position) {
    return journal.failure() == null ? ledger.noBatch(key, position) : position;
  }

  @Override
  public String bookmarkAt(ObjectKey key, Instant moment) {
    Duration window = requireOn(key);
    long nowMillis = time.wallMillis();
    long wallMillis = millisOf(moment);
    boolean isKept =
        wallMillis >= nowMillis - window.toMillis()
            && (wallMillis >= history.oldestWallMillis() || history.oldestPosition() <= 1);
    if (wallMillis > nowMillis || !isKept) {
      throw new BookmarkException(
          key.namespace(),
          key.id(),
          Reason.OUT_OF_WINDOW,
          "No bookmark exists for "
              + moment
              + ": the recovery window of the namespace is "
              + window
              + ", and it is "
              + Instant.ofEpochMilli(nowMillis)
              + " now; history is kept from "
              + keptFrom(nowMillis - window.toMillis())
              + " on.");
    }
    long position =
        ledger.reading(ALL, () -> moments.positionAt(key, moment, wallMillis, nowMillis));
    if (position < ledger.purgedTo(key)) {
      throw new BookmarkException(
          key.namespace(),
          key.id(),
          Reason.OUT_OF_WINDOW,
          "No bookmark exists for " + moment + ": the history of the object was purged since.");
    }
    return text(
        key,
        new Bookmark(ledger.restores(key).epochAt(position), position, /* withNextBatch= */ false));
  }

  private Instant keptFrom(long windowMillis) {
    boolean isComplete = history.oldestPosition() <= 1;
    return Instant.ofEpochMilli(
        isComplete ? windowMillis : Math.max(windowMillis, history.oldestWallMillis()));
  }

  private static long millisOf(Instant moment) {
    try {
      return moment.toEpochMilli();
    } catch (ArithmeticException e) {
      return moment.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  private String text(ObjectKey key, Bookmark bookmark) {
    ledger.makeJournalDurable(key);
    return bookmark.toText(key, history.journalId());
  }

  private Duration requireOn(ObjectKey key) {
    Duration window = windows.apply(key.namespace());
    if (window.isZero()) {
      throw new BookmarkException(
          key.namespace(),
          key.id(),
          Reason.RECOVERY_OFF,
          "The namespace keeps no history; register it with a recovery window.");
    }
    return window;
  }

  // ---- Restores -----------------------------------------------------------------------------

  @Override
  public RequestedRestore requestRestore(ObjectKey key, String bookmark) {
    requireOn(key);
    Bookmark target = Bookmark.of(bookmark, key, history.journalId());
    long durable = journal.durablePosition();
    Bookmark found = resolved(key, target, durable);
    long position = ledger.request(key, found, () -> check(key, found, durable));
    long epoch = ledger.restores(key).epochAt(position);
    return new RequestedRestore(text(key, Bookmark.endOf(epoch)), position);
  }

  /** {@return the target, in a form that stays valid as retention removes records} */
  private Bookmark resolved(ObjectKey key, Bookmark target, long durable) {
    long position = target.position();
    if (target.isEndOfEpoch()) {
      Long restore = ledger.restores(key).endOf(target.epoch());
      if (restore == null) {
        return target;
      }
      position = restore - 1;
    }
    if (!target.withNextBatch() && position <= durable) {
      moments.requireKept(key, position);
      // A part of a later batch may be before the moment; no record that matters is between.
      position = moments.neededFor(key, position) - 1;
    }
    return position == target.position()
        ? target
        : new Bookmark(target.epoch(), position, /* withNextBatch= */ false);
  }

  private void check(ObjectKey key, Bookmark target, long durable) {
    if (target.isEndOfEpoch()) {
      return; // nothing is to be undone
    }
    if (target.position() > journal.lastPosition()) {
      throw new BookmarkException(
          key.namespace(),
          key.id(),
          Reason.NOT_REACHED,
          "The bookmark names a state after the end of the journal.");
    }
    if (target.position() <= durable) {
      requireInWindow(key, moments.positionOf(key, target, durable));
      moments.requireUndo(key, target.position());
    }
  }

  /**
   * Namespaces share segments, which are kept for the longest window. Shorter windows are enforced
   * here: a state that ended before the window begins is not returned.
   */
  private void requireInWindow(ObjectKey key, long position) {
    long begin = time.wallMillis() - requireOn(key).toMillis();
    if (position < history.positionAt(begin)) {
      throw new BookmarkException(
          key.namespace(),
          key.id(),
          Reason.NOT_KEPT,
          "The bookmark names a state that is older than the recovery window of the namespace, "
              + requireOn(key)
              + ".");
    }
  }

  @Override
  public boolean isRestorePending(ObjectKey key) {
    return ledger.isPending(key);
  }

  @Override
  public long restore(ObjectKey key, ObjectStore store) {
    PendingRestore pending = ledger.beginRestore(key);
    if (pending == null) {
      return Journal.START;
    }
    long end = journal.lastPosition();
    try {
      journal.awaitDurable(end);
      long target = moments.positionOf(key, pending.target(), end);
      long position = store.restore(moments.after(key, target));
      ledger.restored(key, position, time.wallMillis());
      return position;
    } catch (BookmarkException e) {
      throw failed(key, e);
    } catch (RuntimeException e) {
      noteIfAppended(key, end, e);
      throw e;
    } finally {
      ledger.endRestore(key);
    }
  }

  /**
   * Once the journal has the record the restore is done, even if the object's files follow later.
   */
  private void noteIfAppended(ObjectKey key, long end, RuntimeException failure) {
    try (HistoryCursor cursor = history.newestFirst(key, journal.durablePosition())) {
      while (cursor.next() && cursor.position() > end) {
        if (cursor.kind() == RecordKind.RESTORE) {
          ledger.restored(key, cursor.position(), cursor.wallMillis());
        }
      }
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public long withdrawRestore(ObjectKey key) {
    if (!ledger.isPending(key)) {
      requireOn(key);
    }
    return ledger.withdraw(key);
  }

  // ---- Purges -------------------------------------------------------------------------------

  @Override
  public Purge purge(ObjectKey key) {
    return ledger.purge(key);
  }

  @Override
  public void purgeDone(Purge purge) {
    ledger.purgeDone(purge);
  }

  @Override
  public List<Purge> purges() {
    return ledger.purges();
  }

  @Override
  public List<Purge> unfinishedPurges() {
    return ledger.unfinishedPurges();
  }

  // ---- History ------------------------------------------------------------------------------

  @Override
  public HistoryPage history(ObjectKey key, int limit, @Nullable String from) {
    requireOn(key);
    return ledger.reading(ALL, () -> page(key, limit, from));
  }

  private HistoryPage page(ObjectKey key, int limit, @Nullable String from) {
    long end = journal.durablePosition();
    long begin =
        from == null
            ? end
            : moments.positionOf(key, Bookmark.of(from, key, history.journalId()), end);
    ObjectRestores restores = ledger.restores(key);
    long window = history.positionAt(time.wallMillis() - requireOn(key).toMillis());
    List<HistoryEntry> entries = new ArrayList<>();
    try (HistoryCursor cursor = history.newestFirst(key, begin)) {
      while (cursor.next()) {
        if (!cursor.kind().isBatch()) {
          continue;
        }
        long position = cursor.position();
        if (position < window || position <= ledger.purgedTo(key)) {
          break; // kept for another namespace's longer window, or about to leave
        }
        String bookmark =
            text(
                key,
                new Bookmark(restores.epochAt(position), position, /* withNextBatch= */ false));
        if (entries.size() == limit) {
          return new HistoryPage(entries, bookmark);
        }
        entries.add(
            new HistoryEntry(
                bookmark,
                Instant.ofEpochMilli(cursor.wallMillis()),
                kindOf(cursor.kind()),
                cursor.payloadBytes()));
      }
    }
    return new HistoryPage(entries, null);
  }

  private static HistoryEntry.Kind kindOf(RecordKind kind) {
    return switch (kind) {
      case BATCH -> HistoryEntry.Kind.WRITE;
      case RESTORE -> HistoryEntry.Kind.RESTORE;
      case BATCH_WITHOUT_UNDO -> HistoryEntry.Kind.WRITE_WITHOUT_UNDO;
      case CHECKPOINT, UNDO_PART, NOTE ->
          throw new IllegalArgumentException(kind + " is not a batch");
    };
  }

  @Override
  public List<Restoration> restorations(ObjectKey key) {
    requireOn(key);
    long oldest =
        Math.max(
            Math.max(history.oldestPosition(), ledger.purgedTo(key) + 1),
            history.positionAt(time.wallMillis() - requireOn(key).toMillis()));
    List<Restoration> found = new ArrayList<>();
    long epoch = 0;
    for (DoneRestore each : ledger.restores(key).done()) {
      if (each.position() >= oldest) {
        found.add(
            new Restoration(
                Instant.ofEpochMilli(each.wallMillis()),
                isKept(key, each.target(), oldest) ? text(key, each.target()) : null,
                text(key, Bookmark.endOf(epoch))));
      }
      epoch = each.position();
    }
    return found;
  }

  private boolean isKept(ObjectKey key, Bookmark target, long oldest) {
    Long end = target.isEndOfEpoch() ? ledger.restores(key).endOf(target.epoch()) : null;
    return (end == null ? target.position() : end - 1) + 1 >= oldest;
  }

  @Override
  public HistoryUsage usage(long bytesMax) {
    long oldestMillis = history.oldestWallMillis();
    return new HistoryUsage(
        history.bytes(),
        bytesMax,
        oldestMillis == Long.MAX_VALUE ? null : Instant.ofEpochMilli(oldestMillis));
  }

  @Override
  public LaterBatches laterThan(ObjectKey key, String bookmark) {
    requireOn(key);
    Bookmark target = Bookmark.of(bookmark, key, history.journalId());
    long end = journal.durablePosition();
    long[] needed = new long[1];
    long position =
        ledger.reading(
            ALL,
            () -> {
              long found = moments.positionOf(key, target, end);
              requireInWindow(key, found);
              needed[0] = moments.requireUndo(key, found);
              return found;
            });
    LaterBatches later = moments.after(key, position);
    return (last, visitor) ->
        ledger.<@Nullable Void>reading(
            needed[0],
            () -> {
              moments.requireKept(key, position); // the present records stay until they are read
              later.newestFirst(last, visitor);
              return null;
            });
  }

  private static StorageFailedException failed(ObjectKey key, HoldfastException e) {
    return new StorageFailedException(
        key.namespace(),
        key.id(),
        "The requested restore cannot be done, and the object cannot be used until the request is"
            + " withdrawn: "
            + e.getMessage(),
        e);
  }
}
