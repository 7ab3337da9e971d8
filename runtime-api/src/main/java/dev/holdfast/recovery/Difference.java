package dev.holdfast.recovery;

/**
 * One key or row that differs between two states of an object.
 *
 * @param kind how it differs
 * @param table the table of the row; {@link #KEYS} for keys of the key-value storage, {@link
 *     #SCHEMA} for a table, index, view or trigger itself
 * @param key the key; the primary key of the row, or its row id if the table has none; the name of
 *     the table, index, view or trigger
 */
public record Difference(Kind kind, String table, String key) {

  /** Stands for the key-value storage. No table has this name. */
  public static final String KEYS = "";

  /** Stands for the tables, indexes, views and triggers themselves. */
  public static final String SCHEMA = "sqlite_schema";

  /** How a key or a row differs from the first state to the second. */
  public enum Kind {
    /** It is in the second state only. */
    ADDED,
    /** It is in the first state only. */
    REMOVED,
    /** It has another value. */
    CHANGED
  }
}
