package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What pragmas of the application have switched on a connection. SQLite keeps the settings with the
 * connection; for the application they belong to the instance of the object. A connection may be
 * closed and opened again under one instance, and may outlive it.
 *
 * <p>Confined to the holder of the database. For a closed connection, that no longer applies: its
 * switches are the final ones.
 */
public final class Switches {

  /** SQLite itself resets it at each commit. */
  private static final String WITHIN_TRANSACTION = "defer_foreign_keys";

  /** Not a setting that can be read: it replaces a function. */
  private static final String CASE_SENSITIVE_LIKE = "case_sensitive_like";

  private static final String FOREIGN_KEYS = "foreign_keys";

  private final SqliteConnection connection;

  /**
   * Switches that were changed, by name, with their positions; the others are as the connection
   * opened them.
   */
  private final Map<String, Long> touched = new HashMap<>(0);

  /** Whether {@link #FOREIGN_KEYS} is off for a turn, whatever the application has switched. */
  private boolean suspended;

  /**
   * Switches that differ from the switches of a newly opened connection; read by each statement.
   */
  private String moved = "";

  Switches(SqliteConnection connection) {
    this.connection = connection;
  }

  /**
   * Records that a pragma was compiled, which performs the switch, though not always within a
   * transaction.
   */
  public void mayHaveChanged(String name) throws SqliteException {
    if (suspended && name.equals(FOREIGN_KEYS)) {
      return; // within the transaction of that turn it changes nothing, and does not stay that way
    }
    touched.put(name, position(name));
    note();
  }

  /** {@return the switches that are not in their usual position, and their positions} */
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

  /** Switches the enforcement of foreign keys off, outside a transaction. */
  public void suspendForeignKeys() throws SqliteException {
    set(FOREIGN_KEYS, 0);
    suspended = true;
    note();
  }

  /** Switches it back to the setting of the instance, outside a transaction. */
  public void resumeForeignKeys() throws SqliteException {
    Long own = touched.get(FOREIGN_KEYS);
    set(FOREIGN_KEYS, own == null ? usual(FOREIGN_KEYS) : own);
    suspended = false;
    note();
  }

  private long position(String name) throws SqliteException {
    boolean isLike = name.equals(CASE_SENSITIVE_LIKE);
    return connection.integer(isLike ? "SELECT 'a' NOT LIKE 'A'" : "PRAGMA " + name);
  }

  /**
   * Gives the connection, which is in no transaction, to an instance.
   *
   * @param before the switches of the connection that the instance had before; null for a new one
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

  /** The position that {@link ObjectConnection} opens it with. */
  private static long usual(String name) {
    return name.equals(FOREIGN_KEYS) ? 1 : 0;
  }
}
