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
 * dev.holdfast.clone}. Reads give copies.
 *
 * <p>A record is read as its class again. One that never could be is refused by {@code put}: a
 * component declared as a sealed or any other interface that is no collection, or as a type
 * variable, as in {@code record Box<T>(T content)}, has no type to be read as; a component of type
 * {@code Object} is read by its natural type. While a record grows, its old values stay readable: a
 * component that the value lacks is null, or empty if it is a collection, a map or an {@code
 * Optional}, and an error if it is primitive; what the value has and the record lacks is passed
 * over. A value with both is refused: the component may have been renamed, and null would be a loss
 * in silence.
 *
 * <p>Everything written in one turn is durable together or not at all; no explicit transaction is
 * needed for that. A write returns at once and is visible to the next read. A reply of the object
 * is held until what it depends on is durable.
 *
 * <p>Every method, but for {@link #sql} and {@link #schedules}, which read nothing and whose
 * results have the same rule, must be called by the thread that runs the object's current turn, and
 * fails with {@link dev.holdfast.MisuseException} otherwise; with {@link
 * dev.holdfast.StorageLimitException} when a key, value or count is over its limit, before anything
 * is read or written; with {@link dev.holdfast.UncopyableValueException} when a value cannot be
 * stored or is not of the type asked for; and with {@link dev.holdfast.StorageFailedException} when
 * the storage fails, which resets the object.
 */
public interface ObjectStorage extends TransactionalStorage {

  /**
   * Deletes everything the object has stored: all keys and, with SQL storage, all tables. Atomic
   * with the turn's other writes (the reference may delete a part only when it fails). Refused
   * inside of {@link #transaction}, as in the reference, with {@link dev.holdfast.MisuseException}.
   */
  default void deleteAll() {
    deleteAll(WriteOptions.DEFAULT);
  }

  /**
   * Deletes everything the object has stored.
   *
   * @param options how to write
   */
  void deleteAll(WriteOptions options);

  /**
   * Runs code as one transaction: all that it writes, keys and SQL, through the transaction or
   * through this storage, is kept when it returns and taken back when it throws or calls {@link
   * StorageTransaction#rollback}. An exception of the code goes to the caller of this method; the
   * object is not reset.
   *
   * <p>The code may wait. It runs as a critical section, so other events of the object are held
   * until it is over, and one that takes longer than {@link
   * dev.holdfast.NamespaceOptions#criticalSectionTimeout} resets the object. What it writes is not
   * sealed before its end, however often it waits; a message that leaves during a wait does not
   * depend on it. What the turn wrote before is sealed on its own when the transaction begins, and
   * the transaction when it ends, as in the reference runtime: use it to take something back, or to
   * be atomic across waits; within one turn everything is atomic anyway.
   *
   * <p>Transactions nest: the inner one is a part of the outer one. {@link #deleteAll} is refused
   * inside of it with {@link dev.holdfast.MisuseException}.
   *
   * @param <T> the result
   * @param <X> what the code may throw
   * @param closure the code
   * @return its result
   * @throws X what the code throws
   * @throws dev.holdfast.MisuseException if critical sections are nested deeper than 64
   */
  <T extends @Nullable Object, X extends Exception> T transaction(
      StorageTransaction.Closure<T, X> closure) throws X;

  /**
   * Runs code that does not wait, as a part of the current turn, and takes back what it has
   * written, keys and SQL, if it throws. What it writes is sealed with the turn. Nests, also inside
   * of {@link #transaction}. {@link #deleteAll} is allowed and is taken back with the rest.
   *
   * @param <T> the result
   * @param <X> what the code may throw
   * @param closure the code; a wait inside of it fails with {@link dev.holdfast.MisuseException},
   *     before the turn ends
   * @return its result
   * @throws X what the code throws
   */
  <T extends @Nullable Object, X extends Exception> T transactionSync(
      StorageTransaction.SyncClosure<T, X> closure) throws X;

  /**
   * Waits until everything this object has written, unconfirmed writes included, is durable. A
   * wait: it ends the turn.
   *
   * <p>Executions that wait here go on in any order, also if their writes are durable together: see
   * {@link dev.holdfast.ObjectContext} for what has an order and what has none.
   */
  void sync();

  /**
   * Returns the SQL side of this storage.
   *
   * @return the SQL API, valid as long as this storage; where the object's storage engine has no
   *     SQL, its statements fail with {@link dev.holdfast.SqlException}
   */
  SqlStorage sql();

  /**
   * Returns a bookmark of the present state, with all that this turn has written so far. Changes
   * nothing.
   *
   * <p>A bookmark is a text of 59 characters, digits, {@code a} to {@code f} and hyphens. Of two
   * bookmarks of an object the earlier one is less by {@link String#compareTo}. It stays valid
   * after restarts, as long as {@link dev.holdfast.NamespaceOptions#recoveryWindow} and the cap on
   * disk space keep the history. A turn that ends without its writes, by an abort, say, leaves the
   * bookmark at the state before it. So does a transaction that is still open when its object waits
   * next: the bookmark may leave then, and whether the transaction will be committed nobody knows.
   *
   * @return the bookmark
   * @throws dev.holdfast.BookmarkException if the namespace keeps no history
   */
  String getCurrentBookmark();

  /**
   * Returns a bookmark of the last state at or before a time.
   *
   * @param time within the recovery window, and not in the future
   * @return the bookmark
   * @throws dev.holdfast.BookmarkException if the time lies outside of what is kept
   */
  String getBookmarkForTime(Instant time);

  /**
   * Has the object brought back to an earlier state, keys and values, tables and alarm, when it is
   * next started: after {@link dev.holdfast.ObjectContext#abort}, eviction or a restart of the
   * process. Until then nothing changes. The request is durable when a reply that follows it leaves
   * the object, is not undone by an abort, and is replaced by a second call.
   *
   * @param bookmark where to; also one that this method has returned
   * @return a bookmark of the state just before the restore; restoring it undoes the restore
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
