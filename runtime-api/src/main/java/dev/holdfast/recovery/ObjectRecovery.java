package dev.holdfast.recovery;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * The past of one object, and its state as a file, for whoever runs the application. Thread-safe;
 * every call blocks. What needs the present state of the object takes a turn of it.
 *
 * <p>Every method but {@link #exportTo} and {@link #importFrom} fails with {@link
 * dev.holdfast.BookmarkException} when the namespace keeps no history, and when a bookmark cannot
 * be used.
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

  /**
   * Takes a requested restore back; also when the namespace, by now, keeps no history.
   *
   * @return whether there was one; there is none any more
   */
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
   * @throws IllegalStateException if the new object has data already; nothing was changed
   */
  void fork(String bookmark, String name);

  /**
   * Writes the present state of the object into a SQLite database file, which any tool for SQLite
   * opens: its tables as they are, its keys and values in the hidden table {@code _cf_KV} in the
   * format of the reference runtime. An object of another storage engine becomes such a file too.
   *
   * <p>The object is held meanwhile. What the file has is durable, also what was written
   * unconfirmed. The file is whole or not there at all, also after a crash, which may leave a file
   * with the ending {@code .part} that can be deleted. Of two exports to one name at once one
   * fails.
   *
   * @param file where to; must not exist, its directory must
   * @throws dev.holdfast.ObjectFileException if the file cannot be written
   */
  void exportTo(Path file);

  /**
   * Replaces the state of the object by that of a SQLite database file: one that was written by
   * {@link #exportTo}, or the file of an object of the reference runtime (copied with its {@code
   * -wal} or {@code -journal} file, if there is one). Keys and values, tables and the alarm are
   * taken over; the file is not changed. Migrations of the namespace that the file has not seen are
   * tried at once, and run when the object is next called.
   *
   * <p>The import is one batch, durable when this returns. The object's instance is reset: calls in
   * flight fail with {@link dev.holdfast.InstanceResetException}, the next one finds the imported
   * state. A restore that was requested before is done at this restart like at any other, and takes
   * the import back; {@link #withdrawRestore} comes first then.
   *
   * @param file where from
   * @throws dev.holdfast.ObjectFileException if the file cannot be read, is damaged, is no object's
   *     database, has a key or a value over the limits of {@link
   *     dev.holdfast.storage.StorageLimits}, alarms that no object can have, or what the object's
   *     storage engine does not have, or does not fit the migrations of the namespace; nothing has
   *     changed then
   * @throws dev.holdfast.StorageFailedException if the state is too large for one batch, or cannot
   *     be written; the object is as it was
   */
  void importFrom(Path file);
}
