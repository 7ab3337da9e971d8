package dev.holdfast.recovery;

import dev.holdfast.ObjectId;
import java.time.Instant;
import java.util.List;

/**
 * The past of one object, for whoever runs the application. Thread-safe; every call blocks. What
 * needs the present state of the object starts it and takes a turn of it.
 *
 * <p>Every method fails with {@link dev.holdfast.BookmarkException} when the namespace keeps no
 * history, and when a bookmark cannot be used.
 */
public interface ObjectRecovery {

  /**
   * Returns a bookmark of the last state at or before a time.
   *
   * @param time within the recovery window, not in the future
   * @return the bookmark
   */
  String bookmarkForTime(Instant time);

  /**
   * Returns the latest changes.
   *
   * @param limit how many at most, 1 to 1,000
   * @return the changes, newest first
   */
  HistoryPage history(int limit);

  /**
   * Returns changes up to a state.
   *
   * @param limit how many at most, 1 to 1,000
   * @param from a bookmark; the change that made this state comes first
   * @return the changes, newest first
   */
  HistoryPage history(int limit, String from);

  /** {@return the restores in the history that is kept, oldest first} */
  List<Restoration> restorations();

  /**
   * Has the object brought back when it is next started; see {@link
   * dev.holdfast.storage.ObjectStorage#onNextSessionRestoreBookmark}. Durable when this returns.
   *
   * @param bookmark where to
   * @return a bookmark of the state just before that
   */
  String restoreOnNextSession(String bookmark);

  /** {@return whether there was a requested restore; there is none any more} */
  boolean withdrawRestore();

  /**
   * Compares two states of the object.
   *
   * @param from a bookmark
   * @param to another; it may be the earlier one
   * @return the keys and rows that differ, ordered by table and key
   */
  List<Difference> diff(String from, String to);

  /**
   * Makes a new object of the same namespace that begins with a state of this one, alarms included.
   * Durable when this returns.
   *
   * @param bookmark the state
   * @param name the name of the new object
   * @return its id
   * @throws IllegalStateException if the new object has data already; nothing was changed
   */
  ObjectId fork(String bookmark, String name);
}
