package dev.holdfast.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of one statement, read on demand; see {@link SqlResult} for the rules of all forms. */
public interface SqlCursor extends SqlResult<SqlRow> {

  /** {@return the remaining rows as lists of column values, sharing this position} */
  SqlResult<List<@Nullable Object>> raw();

  /**
   * Returns the remaining rows as records, or as instances of a class whose constructor takes
   * exactly its fields, such as a data class of Kotlin; sharing this position. The classes are
   * those whose values can be stored.
   *
   * <p>Each component takes the column of its name or of an {@code @Alias}; case and underscores do
   * not matter, so {@code firstName} takes {@code first_name}. If several columns have the name,
   * the last one counts. Other columns are left out. Components may be {@code long, int, short,
   * byte, double, float, boolean} (0 is false) and their boxes, {@code String}, {@code byte[]},
   * {@code BigInteger}, {@code BigDecimal}, {@code Instant} (milliseconds since 1970), enums (by
   * name), {@code UUID}, {@code LocalDate}, {@code Duration}, {@code Locale} and all other types
   * that are a text in stored values, classes of the codecs of the namespace, an {@code Optional}
   * of these, and {@code Object}. NULL is null or empty, and refused by primitive components.
   * Numbers are never rounded: a value that does not fit is refused.
   *
   * @param <T> the record or class
   * @param type the record or class; if it is in a named module, the package must be open to {@code
   *     dev.holdfast.clone}, as for stored values
   * @return the rows; reading one fails with {@link IllegalArgumentException} if a value does not
   *     fit its component
   * @throws IllegalArgumentException if a component has no column, or has an unsupported type, or
   *     the type is neither a record nor such a class
   */
  <T> SqlResult<T> as(Class<T> type);
}
