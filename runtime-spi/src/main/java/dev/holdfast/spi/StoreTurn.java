package dev.holdfast.spi;

import dev.holdfast.sql.SqlMigration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one turn reads and writes. Reads see the turn's own writes. Ends with {@link #seal} or
 * {@link #discard}, and is not used afterwards.
 *
 * <p>Used by one thread at a time: the one that runs the object's turn. That is the same thread
 * from beginning to end, unless an explicit transaction keeps the store turn open while its object
 * waits; the input gate then orders one thread before the next. Keys are the UTF-8 bytes of the
 * application's keys, ordered as unsigned bytes; limits were checked by the caller. Every method
 * may fail with {@link dev.holdfast.errors.StorageFailedException}; the engine then discards the
 * turn and resets the object.
 */
public interface StoreTurn {

  /**
   * {@return the value of a key, or null; the caller does not change it}
   *
   * @param key the key
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  byte @Nullable [] get(byte[] key);

  /**
   * Stores a value.
   *
   * @param key the key; not changed by the caller afterwards
   * @param value the value; not changed by the caller afterwards
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void put(byte[] key, byte[] value);

  /**
   * Stores a value where the caller knows the present one, so that the undo needs no read.
   *
   * @param key the key; not changed by the caller afterwards
   * @param value the value; not changed by the caller afterwards
   * @param present what {@link #get} would return; not changed by the caller afterwards
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  default void put(byte[] key, byte[] value, byte @Nullable [] present) {
    put(key, value);
  }

  /**
   * {@return whether the key existed; it does not any more}
   *
   * @param key the key
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  boolean delete(byte[] key);

  /**
   * Deletes all keys, and all tables where the backend has SQL. Open cursors end.
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void deleteAll();

  /**
   * Reads a range of keys.
   *
   * @param range which keys, in which order
   * @return the pairs; the caller closes it before the turn ends
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  StoreScan scan(KeyRange range);

  /**
   * Returns what brings into memory what {@link #get} would read from the disk. It can be run after
   * the turn has ended, by any thread, and touches nothing of the turn; so other events of the
   * object may run meanwhile.
   *
   * @param key the key
   * @return to be run at most once; may fail with {@link
   *     dev.holdfast.errors.StorageFailedException}; null if the read needs no disk, or if the
   *     backend reads on the calling thread in any case
   */
  default @Nullable Runnable prefetch(byte[] key) {
    return null;
  }

  /**
   * Returns what brings into memory, within reason, what {@link #scan} would read from the disk, in
   * the same way.
   *
   * @param range which keys, in which order
   * @return as for a key
   */
  default @Nullable Runnable prefetch(KeyRange range) {
    return null;
  }

  /**
   * Runs SQL; see {@link dev.holdfast.sql.SqlStorage#exec}.
   *
   * @param query one or more statements
   * @param bindings {@code Long}, {@code Double}, {@code String}, {@code byte[]} or null each
   * @return the rows of the last statement; ends by itself with its last row, and with the turn
   * @throws dev.holdfast.SqlException if the statement fails or is refused, or the backend has no
   *     SQL
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  SqlRows exec(String query, @Nullable Object[] bindings);

  /**
   * Runs migrations that the object has not seen yet, in order, and notes them: all that can be run
   * in one turn. What a failing step has done is undone; the caller discards the turn.
   *
   * <p>Of an object that has nothing durable they make no batch: reads see what they made, and the
   * first batch that the object writes has it.
   *
   * @param migrations all steps of the object's namespace, oldest first
   * @return whether the turn is to be sealed now, because it has settings that are only for its
   *     steps or because others want them, and this called again
   * @throws dev.holdfast.SqlException if a step fails, if the object has seen other steps than
   *     these, or if the backend has no SQL
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  boolean migrate(List<SqlMigration> migrations);

  /** Makes a running statement fail soon, because the instance was reset. Called by any thread. */
  default void interrupt() {}

  /**
   * Takes what open SQL cursors have not returned yet into memory, up to a bound of the backend,
   * because the execution that reads them is going to wait: the turn will be sealed, and the rows
   * shall be what they were. A cursor with more left than that fails when it is read on. Never
   * fails itself.
   */
  default void keepCursors() {}

  /**
   * Notes that the turn stays open while its object waits, because an explicit transaction is open.
   * Whoever it waits for may need what the turn takes from others, a place among the open files,
   * say; until the turn ends it does not count as taken. Called before each such wait; never fails.
   */
  default void keepOverWait() {}

  /**
   * Returns the size of the object's database in bytes, free pages not counted.
   *
   * @return the size
   * @throws dev.holdfast.SqlException if the backend has no SQL
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  long databaseSize();

  /**
   * {@return all alarms of the object, in no particular order; immutable}
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  List<AlarmRecord> alarms();

  /**
   * Replaces the alarms of the object: atomic with what else the turn writes, and undone with it.
   * {@link #deleteAll} leaves them alone.
   *
   * @param alarms all of them, with different names; not changed by the caller afterwards
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void setAlarms(List<AlarmRecord> alarms);

  /**
   * Opens a savepoint inside the innermost one that is open. Every savepoint is ended, innermost
   * first, by {@link #releaseSavepoint} or {@link #rollbackToSavepoint}; one that is still open
   * when the turn is sealed counts as released.
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void openSavepoint();

  /**
   * Ends the innermost savepoint and keeps what was written since it was opened.
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void releaseSavepoint();

  /**
   * Ends the innermost savepoint and undoes all that was written since it was opened, {@link
   * #deleteAll} included. Open cursors end; the caller has closed its scans.
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void rollbackToSavepoint();

  /** {@return whether the turn may have written something: if not, {@link #seal} makes no batch} */
  default boolean mayHaveWritten() {
    return true;
  }

  /**
   * Ends the turn: makes all it wrote one atomic batch and appends that to the journal.
   *
   * @return the position of the batch, not yet durable; {@link Journal#START} if nothing was
   *     written
   * @throws dev.holdfast.errors.StorageFailedException if the batch cannot be made; none of it was
   *     written
   * @throws dev.holdfast.errors.CommitRefusedException if what was written is against the rules as
   *     a whole; none of it was written
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed; the turn is
   *     discarded
   * @throws dev.holdfast.errors.DataDirectoryException if there is no room on the disk; the turn is
   *     discarded
   */
  long seal();

  /** Ends the turn and undoes all it wrote. Never fails: what cannot be undone is reopened. */
  void discard();
}
