package dev.holdfast.spi;

import dev.holdfast.recovery.HistoryPage;
import dev.holdfast.recovery.HistoryUsage;
import dev.holdfast.recovery.Restoration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Point-in-time recovery as the engine sees it: bookmarks, and restores that were asked for. The
 * requests are records of a view of the journal, so they are as durable as anything else.
 *
 * <p>Thread-safe; what concerns one object is called by the thread that runs its turn.
 */
public interface PointInTimeRecovery extends JournalView {

  /**
   * Returns a bookmark of the state of an object.
   *
   * @param key the object
   * @param position not before the object's last sealed batch, and not after the end of the
   *     journal; the caller lets no word leave before it is durable
   * @param withNextBatch whether the state is that after the next batch of the object, which the
   *     running turn has begun; the caller calls {@link #noBatchFollowed} if it comes to nothing
   * @return the bookmark
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history
   */
  String bookmark(ObjectKey key, long position, boolean withNextBatch);

  /**
   * Notes that a turn for which a bookmark was made ended without a batch.
   *
   * @param key the object
   * @param position what {@link #bookmark} was called with
   * @return the position of the note: no bookmark of that turn leaves before it is durable, else a
   *     crash could lose the note, and the object's next batch would pass for that of the turn
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  long noBatchFollowed(ObjectKey key, long position);

  /**
   * Returns a bookmark of the last state at or before a time.
   *
   * @param key the object
   * @param time the time
   * @return the bookmark
   * @throws dev.holdfast.BookmarkException if the time lies outside of what is kept
   */
  String bookmarkAt(ObjectKey key, Instant time);

  /**
   * Notes that an object is to be brought back when it is next started, instead of whatever was
   * asked before.
   *
   * @param key the object
   * @param bookmark where to
   * @return a bookmark of the state before the restore, and what to wait for
   * @throws dev.holdfast.BookmarkException if it cannot be restored; nothing has changed
   */
  RequestedRestore requestRestore(ObjectKey key, String bookmark);

  /**
   * A restore that was asked for.
   *
   * @param undoBookmark names the state just before the restore
   * @param position where the request is in the journal, not yet durable
   */
  record RequestedRestore(String undoBookmark, long position) {}

  /**
   * {@return whether an object is to be brought back before it is used; cheap}
   *
   * @param key the object
   */
  boolean isRestorePending(ObjectKey key);

  /**
   * Brings an object back as was asked for.
   *
   * @param key the object
   * @param store its store; no turn is open
   * @return the position of the restore, not yet durable
   * @throws dev.holdfast.errors.StorageFailedException if that fails; the request stays
   */
  long restore(ObjectKey key, ObjectStore store);

  /**
   * Takes back what was asked for.
   *
   * @param key the object
   * @return where that is in the journal, not yet durable; {@link Journal#START} if nothing was
   *     asked for
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  long withdrawRestore(ObjectKey key);

  /**
   * Returns changes of an object.
   *
   * @param key the object
   * @param limit how many at most
   * @param from where to begin; null for the latest
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
   * Returns what separates the present of an object from a moment. All its batches are durable.
   *
   * @param key the object
   * @param bookmark the moment
   * @return the batches behind it
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   */
  LaterBatches laterThan(ObjectKey key, String bookmark);

  /**
   * {@return what the history takes}
   *
   * @param bytesMax the cap
   */
  HistoryUsage usage(long bytesMax);
}
