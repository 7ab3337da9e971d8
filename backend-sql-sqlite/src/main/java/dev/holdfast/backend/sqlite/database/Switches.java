package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What pragmas of the application have switched on a connection. SQLite keeps that with the
 * connection; to the application it belongs to the instance of the object: a connection may be
 * closed and opened again under one instance, and may outlive it.
 *
 * <p>Owned by whoever holds the database. Not of a connection that is closed: what it says then is
 * what was so at the end.
 */
public final class Switches {

  /** SQLite itself takes it back at each commit. */
  private static final String WITHIN_TRANSACTION = "defer_foreign_keys";

  /** Not a setting that could be asked for: it replaces a function. */
  private static final String CASE_SENSITIVE_LIKE = "case_sensitive_like";

  private static final String FOREIGN_KEYS = "foreign_keys";

  private final SqliteConnection connection;

  /** Those that were touched, by name, and how they are; the others are as they were opened. */
  private final Map<String, Long> touched = new HashMap<>(0);

  /** Whether {@link #FOREIGN_KEYS} is off for a turn, whatever the application has switched. */
  private boolean suspended;

  /** Those that are not as the connection was opened; asked for by each statement. */
  private String moved = "";

  Switches(SqliteConnection connection) {
    this.connection = connection;
  }

  /** Notes that a pragma was compiled, which is what switches; within a transaction it may not. */
  public void mayHaveChanged(String name) throws SqliteException {
    if (suspended && name.equals(FOREIGN_KEYS)) {
      return; // within the transaction of that turn it moves nothing, and is not how it stays
    }
    touched.put(name, position(name));
    note();
  }

  /** {@return the switches that are not in their usual position, and where they are} */
  String moved() {
    return moved;
  }

  private void note() {
    Map<String, Long> now = new TreeMap<>(touched);
    if (suspended) {
      now.put(FOREIGN_KEYS, 0L);
    }
    now.entrySet().removeIf(each -> each.getValue() == usual(each.getKey()));
    moved = now.isEmpty() ? "" : now.toString();
  }

  /** Switches the enforcement of foreign keys off, outside of a transaction. */
  public void suspendForeignKeys() throws SqliteException {
    set(FOREIGN_KEYS, 0);
    suspended = true;
    note();
  }

  /** Switches it back to what the instance has, outside of a transaction. */
  public void resumeForeignKeys() throws SqliteException {
    Long own = touched.get(FOREIGN_KEYS);
    set(FOREIGN_KEYS, own == null ? usual(FOREIGN_KEYS) : own);
    suspended = false;
    note();
  }

  private long position(String name) throws SqliteException {
    boolean isLike = name.equals(CASE_SENSITIVE_LIKE);
    SqliteStatement question =
        connection.prepare(isLike ? "SELECT 'a' NOT LIKE 'A'" : "PRAGMA " + name);
    try {
      question.start();
      return question.integer(0);
    } finally {
      question.close();
    }
  }

  /**
   * Gives the connection, which is in no transaction, to an instance.
   *
   * @param before those of the connection that the instance had before; null if it is a new one
   */
  public void become(@Nullable Switches before) throws SqliteException {
    Map<String, Long> wanted = before == null ? Map.of() : before.touched;
    for (String name : touched.keySet()) {
      if (!wanted.containsKey(name)) {
        set(name, usual(name));
      }
    }
    for (Map.Entry<String, Long> each : wanted.entrySet()) {
      boolean ends = each.getKey().equals(WITHIN_TRANSACTION);
      set(each.getKey(), ends ? usual(each.getKey()) : each.getValue());
    }
    touched.clear();
    touched.putAll(wanted);
    note();
  }

  private void set(String name, long position) throws SqliteException {
    connection.execute("PRAGMA " + name + " = " + position);
  }

  /** As {@link ObjectConnection} opens it. */
  private static long usual(String name) {
    return name.equals(FOREIGN_KEYS) ? 1 : 0;
  }
}
