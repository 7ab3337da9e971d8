package dev.holdfast.sql;

import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one statement, read on demand, in one form. All forms of a result share its position:
 * a row that one form has returned is not returned by another.
 *
 * <p>As in the reference runtime, the statement runs one row ahead of the reader: when the reader
 * has the last row, the statement has ended. Statements that write have done all writes when {@code
 * exec} returns.
 *
 * <p>What a reader sees in between:
 *
 * <ul>
 *   <li>The reader sees writes of the same turn to rows that it has not reached yet. Dropping or
 *       altering the table fails while the statement runs.
 *   <li>When the execution waits, at most 4 MiB of the remaining rows are loaded into memory first:
 *       the reader sees them as they were before the wait. If there are more, reading fails.
 *   <li>The end of the event and {@code deleteAll} stop the statement: reading fails with {@link
 *       dev.holdfast.SqlException}, except for rows that an earlier wait has loaded into memory.
 *       Known properties of the result, such as {@link #columnNames}, stay.
 *   <li>After a rollback the statement continues with the rows that exist then, as in the reference
 *       runtime; the row that was read ahead may be one that was rolled back. The rollback stops
 *       the statement if it undoes tables or indexes, or if the statement reads a virtual table,
 *       such as a full-text one.
 *   <li>The rows of {@code RETURNING} follow the same rules. They are in memory from the beginning;
 *       a statement that returns more than {@link SqlLimits#resultBytesMax} fails, and has no
 *       effect.
 *   <li>After a reset the results of the old instance are refused, as its context is.
 * </ul>
 *
 * <p>Owned by the object's turn. A result need not be read to its end, but it holds native memory
 * until its turn ends; at most 128 results may be open at once.
 *
 * @param <R> the type of a row
 */
// Both at once, as the reference's cursor is: for-each loops, and a position that is shared.
@SuppressWarnings("IterableAndIterator")
public interface SqlResult<R extends @Nullable Object> extends Iterator<R>, Iterable<R> {

  /** {@return this; a second loop continues where the first one stopped} */
  @Override
  default Iterator<R> iterator() {
    return this;
  }

  /**
   * {@return the names of the result's columns in order, duplicates kept; empty without a result}
   */
  List<String> columnNames();

  /**
   * Returns the remaining rows; {@code toArray} of the reference.
   *
   * @return the rows, in a list that does not change
   * @throws dev.holdfast.SqlException if they take more memory than {@link
   *     SqlLimits#resultBytesMax} allows, or the statement fails or was stopped; the result has
   *     ended
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  List<R> toList();

  /**
   * Returns the only row.
   *
   * @return the row
   * @throws dev.holdfast.SqlException if there is no row or more than one, or the statement fails
   *     or was stopped; the result has ended
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  R one();

  /**
   * {@return the remaining rows as a stream, sharing this position; reading it fails as a loop
   * does}
   */
  Stream<R> stream();

  /**
   * Returns the number of rows that the statement has read so far, by the definition of the
   * reference runtime: each row of a table, index, sorter or virtual table that a loop visits
   * counts, and each search by key. The number is final when the statement has ended.
   *
   * <p>The library of SQLite does not count rows. The number is computed from the compiled program,
   * the rows that it returned and changed, the sizes of the tables that it scanned, and the number
   * of instructions that it ran:
   *
   * <ul>
   *   <li>Exact when the statement has ended: searches by key, scans of a whole table or index with
   *       any filter, sorting, counting, grouping, UNION, joins by key, IN, rows of a range,
   *       inserts, updates and deletes, and {@code CREATE} and {@code DROP} of tables.
   *   <li>Exact too: LIMIT and OFFSET that are numbers or parameters, where no row is filtered or
   *       the rows end before the limit.
   *   <li>One too high for each range of an index that ends with the index itself, and for each
   *       search in an index for a key that does not exist.
   *   <li>Within a factor of four, plus 64 rows below or 128 rows above: a filter that a LIMIT
   *       ends, ranges that are filtered or only summed up, subqueries that end early, recursion
   *       that is only counted, window functions.
   *   <li>Estimates: rows that triggers and foreign keys read, conflicts, {@code CREATE INDEX} and
   *       {@code ALTER TABLE}.
   * </ul>
   *
   * @return the number of rows
   */
  long rowsRead();

  /**
   * Returns the number of rows that the statement has written: each entry that it stored in a table
   * or an index, and each row that it deleted, including the rows of triggers and foreign key
   * actions. An upper bound if a partial index does not contain a row, or {@code ON CONFLICT DO
   * UPDATE} changes one; a mean if triggers write several tables with different indexes; an
   * estimate for {@code ALTER TABLE} and {@code ANALYZE}; exact otherwise.
   *
   * @return the number of rows
   */
  long rowsWritten();
}
