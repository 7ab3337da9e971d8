package dev.holdfast.backend.sqlite.binding;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The prepared statements of a connection that are not in use, by their text. When the texts become
 * too long in total, the least recently used statements are closed. A statement in use is not in
 * the cache, so that a second cursor of the same text gets a separate statement.
 *
 * <p>SQLite recompiles a statement by itself when the schema has changed. Confined to the holder of
 * the database.
 */
public final class StatementCache implements SqliteStatements {

  private final SqliteConnection connection;

  /** In the order in which they were returned. */
  private final Map<String, SqliteStatement> idle = new LinkedHashMap<>();

  private int textLength;

  public StatementCache(SqliteConnection connection) {
    this.connection = connection;
  }

  @Override
  public SqliteStatement take(String sql) throws SqliteException {
    @Nullable SqliteStatement cached = idle.remove(sql);
    if (cached == null) {
      return connection.prepare(sql);
    }
    textLength -= sql.length();
    return cached;
  }

  /** {@inheritDoc} Resets it. */
  @Override
  public void giveBack(String sql, SqliteStatement statement) {
    if (!statement.isOpen()) {
      return;
    }
    statement.reset();
    if (sql.length() > SqliteBounds.STATEMENT_TEXTS_LENGTH_MAX || idle.containsKey(sql)) {
      statement.close();
      return;
    }
    idle.put(sql, statement);
    textLength += sql.length();
    Iterator<Map.Entry<String, SqliteStatement>> eldest = idle.entrySet().iterator();
    while (textLength > SqliteBounds.STATEMENT_TEXTS_LENGTH_MAX) {
      Map.Entry<String, SqliteStatement> evicted = eldest.next();
      textLength -= evicted.getKey().length();
      evicted.getValue().close();
      eldest.remove();
    }
  }
}
