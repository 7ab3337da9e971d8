package dev.holdfast.sql;

import org.jspecify.annotations.Nullable;

/**
 * The SQL side of an object's storage: a private SQLite database. Its writes are part of the turn's
 * batch, together with the key-value writes of the turn.
 *
 * <p>Only the thread that runs the object's current turn may use it.
 */
public interface SqlStorage {

  /**
   * Runs SQL. All writes are done when this returns; the cursor reads the rows of the last
   * statement on demand.
   *
   * <p>Statements cannot reach hidden tables, whose names begin with {@code _cf_}, other files,
   * temporary tables and the transaction of the turn. In a statement that creates or alters a
   * table, no word, name or string may begin with {@code _cf_}.
   *
   * @param query one or more statements separated by semicolons; only the last may have parameters.
   *     If one fails, the call has no effect; but for a single statement with {@code OR FAIL},
   *     SQLite keeps the rows before the one that failed.
   * @param bindings the parameters of the last statement in order: null, {@code Boolean} (as 0 or
   *     1), integer types and {@code BigInteger} within 64 bits (INTEGER), {@code Float} and {@code
   *     Double} (REAL), {@code CharSequence}, {@code Character}, {@code BigDecimal}, enums, {@code
   *     UUID}, {@code LocalDate}, {@code Duration}, {@code Locale} and all other types that are a
   *     text in stored values (TEXT), {@code byte[]} (BLOB), {@code Instant} and {@code Date}
   *     (INTEGER, milliseconds since 1970, cut towards the past), an {@code Optional} of these or
   *     NULL, and what a codec of the namespace makes of other classes. SQLite stores NaN as NULL.
   *     Text with a lone surrogate, which UTF-8 cannot express, is refused.
   * @return the cursor over the rows of the last statement
   * @throws dev.holdfast.SqlException if SQLite refuses the statement, the bindings do not fit, a
   *     limit is exceeded, the statement would touch data of the runtime, or the object's storage
   *     engine has no SQL
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  SqlCursor exec(String query, @Nullable Object... bindings);

  /**
   * {@return the size of the database in bytes, without free pages}
   *
   * @throws dev.holdfast.SqlException if the object's storage engine has no SQL
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  long databaseSize();

  /**
   * {@return the number of rows that the statements of this instance have read since its
   * activation, as {@link SqlResult#rowsRead} counts; for results that were left early, the rows
   * until then}
   *
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   */
  long rowsRead();

  /**
   * {@return the number of rows that the statements of this instance have written since its
   * activation}
   *
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn
   */
  long rowsWritten();
}
