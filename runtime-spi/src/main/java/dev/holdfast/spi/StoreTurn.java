package dev.holdfast.spi;

import dev.holdfast.sql.JavaMigration;
import dev.holdfast.sql.Migration;
import dev.holdfast.sql.SqlLimits;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The reads and writes of one turn. Reads see the turn's own writes. Ends with {@link #seal} or
 * {@link #discard}, and is not used afterwards.
 *
 * <p>Used by one thread at a time: the thread that runs the object's turn. It is the same thread
 * from beginning to end, unless an explicit transaction keeps the store turn open while its object
 * waits; the input gate then orders one thread before the next. Keys are the UTF-8 bytes of the
 * application's keys, ordered as unsigned bytes; the caller has checked the limits. Every method
 * may fail with {@link dev.holdfast.errors.StorageFailedException}; the engine then discards the
 * turn and resets the object.
 */
public interface StoreTurn {

  /**
   * The migrations of a namespace. Immutable.
   *
   * @param steps all steps, oldest first
   * @param newerAllowed whether the object may have run other steps after all of these
   * @param code runs the steps that are code
   */
  record MigrationPlan(List<Migration> steps, boolean newerAllowed, JavaStep code) {

    /** Copies the list of steps. */
    public MigrationPlan {
      steps = List.copyOf(steps);
    }
  }

  /** Runs migrations that are code. */
  @FunctionalInterface
  interface JavaStep {

    /**
     * Runs one, with the reads and writes of a store turn. The store turn undoes what a failing one
     * has written.
     *
     * @param step the migration
     * @param turn the store turn that asks for it; neither sealed nor discarded by this
     * @throws Exception what the code throws
     */
    void run(JavaMigration step, StoreTurn turn) throws Exception;
  }

  /**
   * How a statement of an operator runs.
   *
   * @param limits makes its limits of the limits of the object; that of the database is how much
   *     the statement may add
   * @param mayWrite whether it may write; one that may not and would is refused before it runs
   */
  record SqlTerms(UnaryOperator<SqlLimits> limits, boolean mayWrite) {}

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
   * Stores a value when the caller has the present one, so that the undo needs no read.
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
   * {@return whether the key existed, and deletes it}
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
   * Returns a task that loads into memory what {@link #get} would read from the disk. Any thread
   * can run it, even after the turn has ended. It does not touch the turn, so other events of the
   * object may run meanwhile.
   *
   * @param key the key
   * @return the task, run at most once; may fail with {@link
   *     dev.holdfast.errors.StorageFailedException}; null if the read needs no disk, or if the
   *     backend always reads on the calling thread
   */
  default @Nullable Runnable prefetch(byte[] key) {
    return null;
  }

  /**
   * Returns a task that loads into memory, up to a bound, what {@link #scan} would read from the
   * disk.
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
   * @return the rows of the last statement; ends after its last row, or with the turn
   * @throws dev.holdfast.SqlException if the statement fails or is refused, or the backend has no
   *     SQL
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  SqlRows exec(String query, @Nullable Object[] bindings);

  /**
   * Runs one statement of an operator, which the application has not written.
   *
   * @param statement one statement; more are refused
   * @param bindings as for {@link #exec(String, Object[])}
   * @param terms its limits, and whether it may write
   * @return its rows; ends after its last row, or with the turn
   * @throws dev.holdfast.SqlException if the statement fails or is refused
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails, or a statement that
   *     writes was stopped
   * @throws IllegalStateException if the backend has no SQL
   */
  default SqlRows exec(String statement, @Nullable Object[] bindings, SqlTerms terms) {
    throw new IllegalStateException("The storage engine of the object has no SQL.");
  }

  /**
   * Runs the migrations that the object has not had yet, in order, and records them: as many as can
   * run in one turn. The changes of a failing step are undone; the caller discards the turn.
   *
   * <p>For an object without durable data they make no batch: reads see their changes, and the
   * first batch that the object writes contains them.
   *
   * @param plan the migrations of the object's namespace; kept until the object has durable data
   * @return whether the caller must seal the turn now and call this again, because the turn has
   *     settings that only its steps, or only other steps, need
   * @throws dev.holdfast.SqlException if a step fails, if the object has had other steps than
   *     these, or if the backend has no SQL
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  boolean migrate(MigrationPlan plan);

  /**
   * Runs the migrations that the object has not had yet, all of them, to find out whether they can
   * run. The caller discards the turn, also after a failure; nothing of it becomes a batch.
   *
   * @param plan as for {@link #migrate}
   * @throws dev.holdfast.SqlException as for {@link #migrate}
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  default void tryMigrations(MigrationPlan plan) {
    migrate(plan);
  }

  /**
   * {@return the names of the migrations that the object has run, in order; empty if the backend
   * has no SQL}
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  default List<String> migrationsRun() {
    return List.of();
  }

  /** Makes a running statement fail soon, because the instance was reset. Called by any thread. */
  default void interrupt() {}

  /**
   * Loads the remaining rows of open SQL cursors into memory, up to a bound of the backend. Called
   * when the execution that reads them is about to wait: the turn will be sealed, and the rows must
   * not change. A cursor with more rows left fails when it is read further. This method never
   * fails.
   */
  default void keepCursors() {}

  /**
   * Records that the turn stays open while its object waits, because an explicit transaction is
   * open. The work it waits for may need a resource that the turn occupies, a place among the open
   * files for example; until the turn ends that resource does not count as occupied. Called before
   * each such wait; never fails.
   */
  default void keepOverWait() {}

  /**
   * Returns the size of the object's database in bytes, without free pages.
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
   * Replaces the alarms of the object: atomic with the other writes of the turn, and undone with
   * them. {@link #deleteAll} does not change them.
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
   * Ends the innermost savepoint and keeps the writes since it was opened.
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void releaseSavepoint();

  /**
   * Ends the innermost savepoint and undoes all writes since it was opened, including {@link
   * #deleteAll}. Open cursors end; the caller has closed its scans.
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  void rollbackToSavepoint();

  /**
   * Writes the data of the object again, in the batch of this turn, without what was deleted or
   * replaced before. The turn has written nothing else. A backend whose data have no such rest does
   * nothing.
   *
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails
   */
  default void compact() {}

  /** {@return the size of the batch that {@link #seal} has appended, in bytes; 0 without one} */
  long sealedBytes();

  /** {@return whether the turn may have written something: if not, {@link #seal} makes no batch} */
  default boolean mayHaveWritten() {
    return true;
  }

  /**
   * Ends the turn: appends all its writes to the journal as one atomic batch, with the events that
   * the turn has emitted: a crash keeps both or neither. Without a batch no event is appended.
   *
   * @param events the events as one record; null for none
   * @return the position of the batch, not yet durable; {@link Journal#START} if nothing was
   *     written
   * @throws dev.holdfast.errors.StorageFailedException if the batch cannot be created; none of it
   *     was written
   * @throws dev.holdfast.errors.CommitRefusedException if the writes as a whole violate the rules;
   *     none of them was written
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed; the turn is
   *     discarded
   * @throws dev.holdfast.errors.DataDirectoryException if there is no room on the disk; the turn is
   *     discarded
   */
  long seal(@Nullable ByteBuffer events);

  /**
   * Ends a turn that has emitted no events; see {@link #seal(ByteBuffer)}.
   *
   * @return the position of the batch, not yet durable; {@link Journal#START} if nothing was
   *     written
   */
  default long seal() {
    return seal(null);
  }

  /**
   * Ends the turn and undoes all its writes. Never fails: if the undo is not possible the data is
   * reopened.
   */
  void discard();
}
