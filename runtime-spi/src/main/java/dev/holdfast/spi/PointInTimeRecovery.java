package dev.holdfast.spi;

import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.Restoration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Point-in-time recovery as the engine uses it: bookmarks and requested restores. The requests are
 * records of a view of the journal, so they are as durable as all other changes.
 *
 * <p>Thread-safe; methods that concern one object are called by the thread that runs its turn.
 */
public interface PointInTimeRecovery extends JournalView {

  /**
   * Returns a bookmark of the state of an object.
   *
   * @param key the object
   * @param position not before the object's last sealed batch, and not after the end of the
   *     journal; the caller lets no message leave before it is durable
   * @param withNextBatch whether the state is the one after the next batch of the object, which the
   *     running turn has begun; the caller calls {@link #noBatchFollowed} if the turn ends without
   *     a batch
   * @return the bookmark
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history
   */
  String bookmark(ObjectKey key, long position, boolean withNextBatch);

  /**
   * Records that a turn for which a bookmark was made ended without a batch.
   *
   * @param key the object
   * @param position the position passed to {@link #bookmark}
   * @return the position of this record. No bookmark of that turn leaves before it is durable:
   *     otherwise a crash could lose the record, and the object's next batch would be taken for the
   *     batch of the turn
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  long noBatchFollowed(ObjectKey key, long position);

  /**
   * Returns a bookmark of the last state at or before a time.
   *
   * @param key the object
   * @param time the time
   * @return the bookmark
   * @throws dev.holdfast.BookmarkException if the time is outside the history that is kept
   */
  String bookmarkAt(ObjectKey key, Instant time);

  /**
   * Requests that an object is restored when it is next started. Replaces an earlier request.
   *
   * @param key the object
   * @param bookmark the state to restore
   * @return a bookmark of the state before the restore, and the position to wait for
   * @throws dev.holdfast.BookmarkException if the state cannot be restored; nothing has changed
   */
  RequestedRestore requestRestore(ObjectKey key, String bookmark);

  /**
   * A requested restore.
   *
   * @param undoBookmark the state just before the restore
   * @param position the position of the request in the journal, not yet durable
   */
  record RequestedRestore(String undoBookmark, long position) {}

  /**
   * {@return whether an object is to be restored before it is used; cheap}
   *
   * @param key the object
   */
  boolean isRestorePending(ObjectKey key);

  /**
   * Executes the requested restore of an object.
   *
   * @param key the object
   * @param store its store; no turn is open
   * @return the position of the restore, not yet durable
   * @throws dev.holdfast.errors.StorageFailedException if that fails; the request stays
   */
  long restore(ObjectKey key, ObjectStore store);

  /**
   * Withdraws the requested restore.
   *
   * @param key the object
   * @return the position of the withdrawal in the journal, not yet durable; {@link Journal#START}
   *     if no restore was requested
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  long withdrawRestore(ObjectKey key);

  /**
   * Ends the history of an object here: from now on no earlier state is given out, and a requested
   * restore is withdrawn. Called in a turn of the object that has no open batch.
   *
   * @param key the object
   * @return what is purged. The record that says so is the last one of the object, and not yet
   *     durable
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  default Purge purge(ObjectKey key) {
    return new Purge(key, Journal.START);
  }

  /**
   * A history that is purged.
   *
   * @param key the object
   * @param upTo its records up to this position leave the data directory, and no later one, however
   *     often the purge is interrupted and continued
   */
  record Purge(ObjectKey key, long upTo) {}

  /**
   * Records that nothing of a purged history is left in the data directory. Does nothing if the
   * history was purged again since.
   *
   * @param purge what was purged
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  default void purgeDone(Purge purge) {}

  /** {@return the purges that have taken something of the time whose records are kept} */
  default List<Purge> purges() {
    return List.of();
  }

  /** {@return the purges whose bytes may be left in the data directory} */
  default List<Purge> unfinishedPurges() {
    return List.of();
  }

  /**
   * Returns changes of an object.
   *
   * @param key the object
   * @param limit maximum number of changes
   * @param from bookmark to start at; null for the latest
   * @return the changes, newest first
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   */
  HistoryPage history(ObjectKey key, int limit, @Nullable String from);

  /**
   * {@return the restores of an object, oldest first}
   *
   * @param key the object
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history
   */
  List<Restoration> restorations(ObjectKey key);

  /**
   * Returns the batches between a moment and the present of an object. All its batches are durable.
   *
   * @param key the object
   * @param bookmark the moment
   * @return the batches after it
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   */
  LaterBatches laterThan(ObjectKey key, String bookmark);

  /**
   * {@return the disk usage of the history}
   *
   * @param bytesMax the cap
   */
  HistoryUsage usage(long bytesMax);
}
