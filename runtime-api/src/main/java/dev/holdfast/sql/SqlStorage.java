package dev.holdfast.sql;

import org.jspecify.annotations.Nullable;

/**
 * The SQL side of an object's storage: a private SQLite database. What it writes is part of the
 * turn's batch, together with the key-value writes of the turn.
 *
 * <p>Thread rule as for {@link dev.holdfast.storage.ObjectStorage}.
 */
public interface SqlStorage {

  /**
   * Runs SQL. Statements that write have done so when this returns; rows of the last statement are
   * read through the cursor, on demand.
   *
   * <p>Hidden tables, whose names begin with {@code _cf_}, other files, temporary tables and the
   * turn's transaction are out of reach. Where tables are created or altered, no word, name or
   * string may begin with {@code _cf_}.
   *
   * @param query one or more statements separated by semicolons; only the last may have parameters.
   *     If one fails, none of the call has had any effect; but where a single statement says {@code
   *     OR FAIL}, SQLite keeps the rows before the one that failed.
   * @param bindings the parameters of the last statement in order: null, {@code Boolean} (as 0 or
   *     1), integer types and {@code BigInteger} within 64 bits (INTEGER), {@code Float} and {@code
   *     Double} (REAL), {@code CharSequence}, {@code BigDecimal} and enums (TEXT), {@code byte[]}
   *     (BLOB), {@code Instant} (INTEGER, milliseconds since 1970, cut towards the past). SQLite
   *     keeps NaN as NULL. Text with a lone surrogate, which UTF-8 cannot express, is refused.
   * @return the cursor over the rows of the last statement
   * @throws dev.holdfast.SqlException if SQLite refuses the statement, the bindings do not fit, or
   *     the statement would touch what belongs to the runtime
   */
  SqlCursor exec(String query, @Nullable Object... bindings);

  /** {@return the size of the database in bytes, free pages not counted} */
  long databaseSize();

  /**
   * {@return how many rows the statements of this instance have read since it was activated, as
   * {@link SqlResult#rowsRead} counts; of results that were left early, what was read until then}
   */
  long rowsRead();

  /** {@return how many rows the statements of this instance have written since it was activated} */
  long rowsWritten();
}
