package dev.holdfast.sql;

import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one statement, read on demand, in one form. All forms of a result share its position:
 * a row that one of them has returned is gone for the others.
 *
 * <p>The statement runs one row ahead of what was delivered, as in the reference runtime: when the
 * last row is in the reader's hands, the statement has ended. Statements that write have done
 * everything when {@code exec} returns.
 *
 * <p>What a reader sees in between:
 *
 * <ul>
 *   <li>Writes of the same turn to rows that were not reached yet are seen. Dropping or altering
 *       the table fails while the statement runs.
 *   <li>When the execution waits, the rows that are left, up to 4 MiB of them, are taken into
 *       memory first: they are as they were before the wait. With more than that, reading on fails.
 *   <li>At the end of the event and on {@code deleteAll} the statement is stopped: reading on fails
 *       with {@link dev.holdfast.SqlException}, but for rows that a wait has taken into memory
 *       before. What is known of the result, like {@link #columnNames}, stays.
 *   <li>After a rollback it goes on with what is there then, as in the reference runtime; a row
 *       that was read ahead may be one that was taken back. It is stopped if the rollback takes
 *       back tables or indexes, and if it reads a virtual table, a full-text one for example.
 *   <li>All this holds of the rows of {@code RETURNING}, too. They are in memory from the
 *       beginning; a statement that returns more than {@link SqlLimits#resultBytesMax} of them
 *       fails, and nothing of it is kept.
 *   <li>After a reset a result of the old instance is refused like everything of its context.
 * </ul>
 *
 * <p>Owned by the object's turn. A result need not be read to its end, but it holds native memory
 * until its turn is over; 128 may be open at once.
 *
 * @param <R> what a row is
 */
// Both at once, as the reference's cursor is: for-each loops, and a position that is shared.
@SuppressWarnings("IterableAndIterator")
public interface SqlResult<R extends @Nullable Object> extends Iterator<R>, Iterable<R> {

  /** {@return this; a second loop goes on where the first was left} */
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
   *     SqlLimits#resultBytesMax} allows, or the statement fails; the result has ended then
   */
  List<R> toList();

  /**
   * Returns the only row.
   *
   * @return the row
   * @throws dev.holdfast.SqlException if there is no row left, or more than one; the result has
   *     ended then
   */
  R one();

  /** {@return the remaining rows as a stream, sharing this position} */
  Stream<R> stream();

  /**
   * Returns how many rows the statement has read so far; the final number when it has ended. By the
   * definition of the reference runtime: each row of a table, index, sorter or virtual table that a
   * loop visits counts, and each search by key.
   *
   * <p>SQLite's library does not count this. The number is computed from the program that SQLite
   * compiled, the rows it returned and changed, the sizes of tables it went through, and how many
   * instructions it ran:
   *
   * <ul>
   *   <li>Exact when the statement has ended: searches by key, scans of a whole table or index
   *       whatever they filter, sorting, counting, grouping, UNION, joins by key, IN, rows of a
   *       range, inserts, updates and deletes, and {@code CREATE} and {@code DROP} of tables.
   *   <li>Exact too: LIMIT and OFFSET that are numbers or parameters, where no row is filtered or
   *       the rows end before the limit.
   *   <li>One too many: for each range of an index that ends with the index itself, and for each
   *       search in an index for a key that is not there.
   *   <li>Within a factor of four, and 64 rows below it or 128 above besides: a filter that a LIMIT
   *       ends, ranges that are filtered or only summed up, subqueries that end early, recursion
   *       that is only counted, window functions.
   *   <li>Estimates: what triggers and foreign keys read, conflicts, {@code CREATE INDEX} and
   *       {@code ALTER TABLE}.
   * </ul>
   *
   * @return the number of rows
   */
  long rowsRead();

  /**
   * Returns how many rows the statement has written: each entry that it stored in a table or an
   * index, and each row that it deleted, those of triggers and foreign key actions included. An
   * upper bound where a partial index does not take a row, or {@code ON CONFLICT DO UPDATE} changes
   * one; a mean where triggers write several tables with different indexes; of {@code ALTER TABLE}
   * and {@code ANALYZE} an estimate; exact otherwise.
   *
   * @return the number of rows
   */
  long rowsWritten();
}
