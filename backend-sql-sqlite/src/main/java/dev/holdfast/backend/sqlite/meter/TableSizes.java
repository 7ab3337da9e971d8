package dev.holdfast.backend.sqlite.meter;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.StatementCache;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of rows of tables, as far as the meter needs them: of tables that a statement has
 * scanned in full. SQLite counts pages, not rows, at a percent of the cost of the scan. A number is
 * valid until the next write.
 *
 * <p>Confined to the holder of the database.
 */
public final class TableSizes {

  private final StatementCache statements;
  private final Map<String, Long> known = new HashMap<>();

  /**
   * @param statements of the connection
   */
  public TableSizes(StatementCache statements) {
    this.statements = statements;
  }

  /** Forgets all numbers, because something was written. */
  public void forget() {
    if (!known.isEmpty()) {
      known.clear();
    }
  }

  /**
   * {@return the number of rows of a table; null if it was not counted}
   *
   * @param table its name
   */
  public @Nullable Long of(String table) {
    return known.get(table);
  }

  /**
   * Counts the rows of a table, which takes long if it is large.
   *
   * @param table its name
   * @return the number
   * @throws SqliteException if it cannot be read
   */
  public long count(String table) throws SqliteException {
    long size =
        statements.integer("SELECT count(*) FROM main.\"" + table.replace("\"", "\"\"") + '"');
    known.put(table, size);
    return size;
  }
}
