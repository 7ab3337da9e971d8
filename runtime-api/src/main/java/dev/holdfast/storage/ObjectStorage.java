package dev.holdfast.storage;

import dev.holdfast.sql.SqlStorage;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The storage of one object: keys and values, and SQL on the same data.
 *
 * <p>Keys are strings of at most 2,048 bytes in UTF-8, ordered by those bytes. A value is anything
 * the structured clone format can hold, at most 131,106 bytes in that format (131,072, and 34 for
 * its header, tags and lengths: {@link StorageLimits}); see the mapping table of {@code
 * dev.holdfast.clone}. Reads return copies.
 *
 * <p>A record is read as its class again, and so is a class whose constructor takes exactly its
 * fields, and each class of a sealed type. {@code put} refuses a value that never could be: a
 * component whose declared type is an interface that is neither sealed nor a collection has no type
 * to be read as; a component of type {@code Object}, or of a type variable, as in {@code record
 * Box<T>(T content)}, is read by its natural type, unless a {@link dev.holdfast.codec.TypeRef} says
 * more. When a record gets new components, its old values stay readable. A component that the value
 * lacks is its {@code @Default}, else null, or empty if it is a collection, a map or an {@code
 * Optional}, and an error if it is primitive. A component of the value that the record lacks is an
 * error, because it would be lost when the value is written again; {@code @Alias} names one that
 * was renamed, {@code @Ignored} one that was removed. The annotations are in {@code
 * dev.holdfast.value}.
 *
 * <p>All writes of one turn are durable together or not at all; no explicit transaction is needed
 * for that. A write returns at once and is visible to the next read. A reply of the object is held
 * until the writes on which it depends are durable.
 *
 * <p>Only the thread that runs the object's current turn may use a storage; {@link #sql} and {@link
 * #schedules} themselves read nothing and may be called by every thread.
 */
public interface ObjectStorage extends TransactionalStorage {

  /**
   * Deletes all that the object has stored: all keys and, with SQL storage, all tables. Atomic with
   * the turn's other writes (the reference may delete only a part when it fails).
   *
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or is inside of {@link #transaction}, as in the reference
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  default void deleteAll() {
    deleteAll(WriteOptions.DEFAULT);
  }

  /**
   * Deletes all that the object has stored; see {@link #deleteAll()}.
   *
   * @param options how to write
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or is inside of {@link #transaction}, as in the reference
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void deleteAll(WriteOptions options);

  /**
   * Runs code as one transaction. All its writes, keys and SQL, through the transaction or through
   * this storage, are kept when it returns, and undone when it throws or calls {@link
   * StorageTransaction#rollback}. An exception of the code goes to the caller of this method; the
   * object is not reset.
   *
   * <p>The code may wait. It runs as a critical section: other events of the object are held until
   * it ends, and the object is reset if it takes longer than {@link
   * dev.holdfast.NamespaceOptions#criticalSectionTimeout}. Its writes are not sealed before its
   * end, however often it waits; a message that leaves during a wait does not depend on them. As in
   * the reference runtime, the earlier writes of the turn are sealed on their own when the
   * transaction begins, and the transaction when it ends. Use a transaction to undo writes, or to
   * be atomic across waits; within one turn all writes are atomic anyway.
   *
   * <p>Transactions nest: the inner one is a part of the outer one. {@link #deleteAll} is refused
   * inside of a transaction.
   *
   * @param <T> the result
   * @param <X> what the code may throw
   * @param closure the code
   * @return its result
   * @throws X if the code throws it
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or critical sections are nested deeper than 64
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T extends @Nullable Object, X extends Exception> T transaction(
      StorageTransaction.Closure<T, X> closure) throws X;

  /**
   * Runs code that does not wait, as a part of the current turn, and undoes its writes, keys and
   * SQL, if it throws. Its writes are sealed with the turn. Nests, also inside of {@link
   * #transaction}. {@link #deleteAll} is allowed and is undone with the rest.
   *
   * @param <T> the result
   * @param <X> what the code may throw
   * @param closure the code; a wait inside of it fails with {@link
   *     dev.holdfast.errors.MisuseException}, before the turn ends
   * @return its result
   * @throws X if the code throws it
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  <T extends @Nullable Object, X extends Exception> T transactionSync(
      StorageTransaction.SyncClosure<T, X> closure) throws X;

  /**
   * Waits until all writes of this object, including unconfirmed ones, are durable. Ends the turn.
   *
   * <p>Executions that wait here continue in the order in which they began to wait, also if their
   * writes become durable together.
   *
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, or is inside of {@link #transactionSync}
   */
  void sync();

  /**
   * Returns the SQL side of this storage.
   *
   * @return the SQL API, valid as long as this storage; its statements fail with {@link
   *     dev.holdfast.SqlException} if the object's storage engine has no SQL
   */
  SqlStorage sql();

  /**
   * Returns a bookmark of the present state, with all writes of this turn so far. Changes nothing.
   *
   * <p>A bookmark is a text of 59 characters: digits, {@code a} to {@code f} and hyphens. Of two
   * bookmarks of an object, {@link String#compareTo} orders the earlier one first. A bookmark stays
   * valid after restarts, as long as {@link dev.holdfast.NamespaceOptions#recoveryWindow} and the
   * cap on disk space keep the history. If a turn ends without its writes, for example by an abort,
   * its bookmark names the state before the turn. The same holds for a transaction that is still
   * open when its object waits next: the bookmark may leave then, before it is known whether the
   * transaction commits.
   *
   * @return the bookmark
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history
   */
  String getCurrentBookmark();

  /**
   * Returns a bookmark of the last state at or before a time.
   *
   * @param time within the recovery window, and not in the future
   * @return the bookmark
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.BookmarkException if the time lies outside the history that is kept
   */
  String getBookmarkForTime(Instant time);

  /**
   * Requests that the object returns to an earlier state, with its keys and values, tables and
   * alarm, at its next start: after {@link dev.holdfast.ObjectContext#abort}, an eviction or a
   * restart of the process. Until then nothing changes. The request is durable when a later reply
   * leaves the object. An abort does not undo it; a second call replaces it.
   *
   * @param bookmark the state to restore; may be a bookmark that this method has returned
   * @return a bookmark of the state just before the restore; restoring it undoes the restore
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.BookmarkException if the bookmark cannot be restored; an earlier request
   *     stays
   */
  String onNextSessionRestoreBookmark(String bookmark);

  /**
   * Returns the named alarms and recurring schedules of this object.
   *
   * @return valid as long as this storage
   */
  ObjectSchedules schedules();
}
