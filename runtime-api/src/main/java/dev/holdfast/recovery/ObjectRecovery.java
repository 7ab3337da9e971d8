package dev.holdfast.recovery;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * The past of one object, and its state as a file, for operators. Thread-safe; every call blocks.
 * Operations that need the present state of the object take a turn of it.
 */
public interface ObjectRecovery {

  /**
   * Returns a bookmark of the last state at or before a time.
   *
   * @param time within the recovery window, not in the future
   * @return the bookmark
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the time lies
   *     outside the history that is kept
   * @throws dev.holdfast.errors.JournalCorruptException if a record of the history is damaged
   * @throws dev.holdfast.errors.DataDirectoryException if the journal cannot be read
   */
  String bookmarkForTime(Instant time);

  /**
   * Returns the latest changes.
   *
   * @param limit the largest number of changes, 1 to 1,000
   * @return the changes, newest first
   * @throws IllegalArgumentException if the limit is out of its range
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history
   * @throws dev.holdfast.errors.JournalCorruptException if a record of the history is damaged
   * @throws dev.holdfast.errors.DataDirectoryException if the journal cannot be read
   */
  HistoryPage history(int limit);

  /**
   * Returns the changes up to a state.
   *
   * @param limit the largest number of changes, 1 to 1,000
   * @param from a bookmark; the change that made this state comes first
   * @return the changes, newest first
   * @throws IllegalArgumentException if the limit is out of its range
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   * @throws dev.holdfast.errors.JournalCorruptException if a record of the history is damaged
   * @throws dev.holdfast.errors.DataDirectoryException if the journal cannot be read
   */
  HistoryPage history(int limit, String from);

  /**
   * {@return the restores in the history that is kept, oldest first}
   *
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history
   * @throws dev.holdfast.errors.JournalCorruptException if a record of the history is damaged
   * @throws dev.holdfast.errors.DataDirectoryException if the journal cannot be read
   */
  List<Restoration> restorations();

  /**
   * Requests that the object is restored at its next start; see {@link
   * dev.holdfast.storage.ObjectStorage#onNextSessionRestoreBookmark}. Durable when this returns.
   *
   * @param bookmark the state to restore
   * @return a bookmark of the state just before the restore
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  String restoreOnNextSession(String bookmark);

  /**
   * Withdraws a requested restore, even if the namespace keeps no history any more. Afterwards no
   * restore is requested.
   *
   * @return whether a restore was requested
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   */
  boolean withdrawRestore();

  /**
   * Compares two states of the object.
   *
   * @param from a bookmark
   * @param to another bookmark; it may be the earlier one
   * @return the keys and rows that differ, ordered by table and key
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.ObjectException if the object cannot take a turn: it is overloaded or was
   *     reset, its storage fails, or the thread is interrupted
   */
  List<Difference> diff(String from, String to);

  /**
   * Creates a new object of the same namespace from a state of this one, including alarms. Durable
   * when this returns.
   *
   * @param bookmark the state
   * @param name the name of the new object
   * @throws IllegalStateException if the new object has data already, or another fork creates it at
   *     this moment; nothing was changed
   * @throws IllegalArgumentException if the name has a lone surrogate
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.ObjectException if the object cannot take a turn: it is overloaded or was
   *     reset, its storage fails, or the thread is interrupted
   */
  void fork(String bookmark, String name);

  /**
   * Creates a new object from a state of this one, as {@link #fork(String, String)} does, near
   * another object. In a cluster a fork stays in the shard of its origin, so {@code near} is most
   * often the id of this object.
   *
   * @param bookmark the state
   * @param name the name of the new object
   * @param near an id of any namespace, as for {@link
   *     dev.holdfast.ObjectNamespace#idFromName(String, dev.holdfast.ObjectId)}
   * @throws IllegalStateException if the new object has data already, or another fork creates it at
   *     this moment; nothing was changed
   * @throws IllegalArgumentException if the name has a lone surrogate
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history, or the bookmark
   *     cannot be used
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.ObjectException if the object cannot take a turn: it is overloaded or was
   *     reset, its storage fails, or the thread is interrupted
   */
  void fork(String bookmark, String name, Neighbor near);

  /**
   * Writes the present state of the object into a SQLite database file, which every tool for SQLite
   * can open: its tables unchanged, its keys and values in the hidden table {@code _cf_KV} in the
   * format of the reference runtime. An object of another storage engine is written in the same
   * format.
   *
   * <p>The object is held meanwhile. The content of the file is durable, including unconfirmed
   * writes. The file is complete or absent, also after a crash, which may leave a file with the
   * ending {@code .part}; it can be deleted. Of two concurrent exports to one file, one fails.
   *
   * @param file the new file; must not exist, but its directory must
   * @throws dev.holdfast.ObjectFileException if the file cannot be written
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws IllegalStateException if the runtime was opened without a format of files
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.ObjectException if the object cannot take a turn: it is overloaded or was
   *     reset, its storage fails, or the thread is interrupted
   */
  void exportTo(Path file);

  /**
   * Replaces the state of the object by the state in a SQLite database file: a file of {@link
   * #exportTo}, or the file of an object of the reference runtime (copied with its {@code -wal} or
   * {@code -journal} file, if there is one). Takes over keys and values, tables and the alarm; does
   * not change the file. Migrations of the namespace that the file has not seen are tried at once,
   * and run at the next call of the object.
   *
   * <p>A file without a table is an object that has nothing only if {@link #exportTo} wrote it.
   * What SQLite would read from an empty file, or from one that was cut off, is not taken for a
   * state.
   *
   * <p>The import is one batch, durable when this returns. The object's instance is reset: calls in
   * flight fail with {@link dev.holdfast.InstanceResetException}, and the next call finds the
   * imported state. A restore that was requested before is done at this restart, as at every other
   * one, and undoes the import; call {@link #withdrawRestore} first.
   *
   * @param file the file
   * @throws dev.holdfast.ObjectFileException if the file cannot be read, is damaged or was cut off,
   *     is not the database of an object, has a key or a value over the limits of {@link
   *     dev.holdfast.storage.StorageLimits} or a key that is not UTF-8, has alarms that no object
   *     can have, has something that the object's storage engine does not support, or does not fit
   *     the migrations of the namespace; nothing has changed
   * @throws dev.holdfast.errors.StorageFailedException if the state is too large for one batch, or
   *     cannot be written; the object is unchanged
   * @throws dev.holdfast.errors.MisuseException if an object of this runtime calls
   * @throws IllegalStateException if the runtime was opened without a format of files
   * @throws dev.holdfast.RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws dev.holdfast.ObjectException if the object cannot take a turn: it is overloaded or was
   *     reset, its storage fails, or the thread is interrupted
   */
  void importFrom(Path file);
}
