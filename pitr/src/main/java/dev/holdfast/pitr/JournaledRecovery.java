package dev.holdfast.pitr;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.HoldfastException;
import dev.holdfast.StorageFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * Point-in-time recovery from the journal: the way back is the undo of each later batch, newest
 * first. There are no snapshots.
 *
 * <p>Thread-safe, but for what {@link PointInTimeRecovery} says.
 */
public final class JournaledRecovery implements PointInTimeRecovery {

  /** The view id of this module's records, for ever. */
  public static final int VIEW_ID = RestoreLedger.VIEW_ID;

  private final Journal journal;
  private final JournalHistory history;
  private final TimeSource time;
  private final Map<String, Duration> windows;
  private final RestoreLedger ledger;
  private final Moments moments;

  /**
   * Creates the recovery. Call {@link #recover} before anything else.
   *
   * @param journal takes the requests
   * @param history the past
   * @param time the clock that stamps the journal's records
   * @param windows for each namespace, how far back its objects can be restored; zero for not at
   *     all
   */
  public JournaledRecovery(
      Journal journal, JournalHistory history, TimeSource time, Map<String, Duration> windows) {
    this.journal = journal;
    this.history = history;
    this.time = time;
    this.windows = Map.copyOf(windows);
    this.ledger = new RestoreLedger(journal, history);
    this.moments = new Moments(history, ledger);
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
    long epoch = ledger.restores(key).epochAt(position);
    return text(key, new Bookmark(epoch, position, withNextBatch));
  }

  @Override
  public void noBatchFollowed(ObjectKey key, long position) {
    if (journal.failure() == null) {
      ledger.noBatch(key, position);
    }
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
          "There is no bookmark for "
              + moment
              + ": the recovery window of the namespace is "
              + window
              + ", and it is "
              + Instant.ofEpochMilli(nowMillis)
              + " now; history is kept from "
              + keptFrom(nowMillis - window.toMillis())
              + " on.");
    }
    long position = history.positionAt(wallMillis);
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
    return bookmark.toText(key, history.journalId());
  }

  private Duration requireOn(ObjectKey key) {
    Duration window = windows.getOrDefault(key.namespace(), Duration.ZERO);
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
    Bookmark checked = check(key, target, durable);
    long position = ledger.request(key, checked);
    long epoch = ledger.restores(key).epochAt(position);
    return new RequestedRestore(text(key, Bookmark.endOf(epoch)), position);
  }

  /** {@return the target, in a form that stays right if retention goes on} */
  private Bookmark check(ObjectKey key, Bookmark target, long durable) {
    Long restore = target.isEndOfEpoch() ? ledger.restores(key).endOf(target.epoch()) : null;
    if (target.isEndOfEpoch() && restore == null) {
      return target;
    }
    Bookmark found =
        restore == null
            ? target
            : new Bookmark(target.epoch(), restore - 1, /* withNextBatch= */ false);
    if (found.position() > journal.lastPosition()) {
      throw new BookmarkException(
          key.namespace(),
          key.id(),
          Reason.NOT_REACHED,
          "The bookmark names a state that is not there: the journal ends before it.");
    }
    if (found.position() <= durable) {
      moments.positionOf(key, found, durable);
      moments.requireUndo(key, found.position(), durable);
    }
    return found;
  }

  @Override
  public boolean isRestorePending(ObjectKey key) {
    return ledger.isPending(key);
  }

  @Override
  public long restore(ObjectKey key, ObjectStore store) {
    PendingRestore pending = ledger.restores(key).pending();
    if (pending == null) {
      return Journal.START;
    }
    long end = journal.lastPosition();
    journal.awaitDurable(end);
    ledger.restoring(key, true);
    try {
      long target = moments.positionOf(key, pending.target(), end);
      long position = store.restore(moments.after(key, target, end));
      ledger.restored(key, position, time.wallMillis());
      return position;
    } catch (BookmarkException e) {
      throw failed(key, e);
    } finally {
      ledger.restoring(key, false);
    }
  }

  private static StorageFailedException failed(ObjectKey key, HoldfastException e) {
    return new StorageFailedException(
        key.namespace(),
        key.id(),
        "The restore that was asked for cannot be done, and the object is not used before it is"
            + " withdrawn: "
            + e.getMessage(),
        e);
  }
}
