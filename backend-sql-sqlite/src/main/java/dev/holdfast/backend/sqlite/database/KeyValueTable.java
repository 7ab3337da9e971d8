package dev.holdfast.backend.sqlite.database;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.binding.StatementCache;
import dev.holdfast.spi.KeyRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hidden table of an object's keys and values, in the format of the reference runtime, so that
 * files can be exchanged. The first write creates it.
 *
 * <p>Keys are TEXT, compared as bytes. They are bound as blobs and cast: a {@code String} would not
 * carry a lone surrogate through, and costs a conversion.
 *
 * <p>Confined to the holder of the database.
 */
public final class KeyValueTable {

  /** With the spaces of the reference: statements can read the text in the schema. */
  public static final String CREATE =
      """
      CREATE TABLE main._cf_KV (
              key TEXT PRIMARY KEY,
              value BLOB
            ) WITHOUT ROWID\
      """;

  private static final String EXISTS =
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = '_cf_KV'";
  private static final String GET = "SELECT value FROM main._cf_KV WHERE key = CAST(?1 AS TEXT)";

  /** Replacing the row costs one search in the table, an update on conflict two. */
  public static final String PUT =
      "INSERT OR REPLACE INTO main._cf_KV (key, value) VALUES (CAST(?1 AS TEXT), ?2)";

  private static final String DELETE = "DELETE FROM main._cf_KV WHERE key = CAST(?1 AS TEXT)";
  private static final String DELETE_ALL = "DELETE FROM main._cf_KV";

  /** What is known of the table; a rollback may undo its creation. */
  private enum Existence {
    UNKNOWN,
    MISSING,
    PRESENT
  }

  private final SqliteConnection connection;
  private final StatementCache statements;
  private final Runnable onCreate;
  private Existence existence = Existence.UNKNOWN;

  /** Set by a write; cleared by any operation that may leave no key. */
  private boolean hasKey;

  private @Nullable SqliteStatement get;
  private @Nullable SqliteStatement put;
  private @Nullable SqliteStatement delete;

  /**
   * @param onCreate called when the table was created: a cached schema is stale then
   */
  KeyValueTable(SqliteConnection connection, StatementCache statements, Runnable onCreate) {
    this.connection = connection;
    this.statements = statements;
    this.onCreate = onCreate;
  }

  public boolean exists() throws SqliteException {
    if (existence == Existence.UNKNOWN) {
      existence = connection.hasRow(EXISTS) ? Existence.PRESENT : Existence.MISSING;
    }
    return existence == Existence.PRESENT;
  }

  /** Forgets whether the table exists, because a rollback or user SQL may have changed that. */
  void forget() {
    existence = Existence.UNKNOWN;
    hasKey = false;
  }

  /** {@return whether there is no key} */
  boolean isEmpty() throws SqliteException {
    if (hasKey) {
      return false;
    }
    if (!exists()) {
      return true;
    }
    return !connection.hasRow("SELECT 1 FROM main._cf_KV LIMIT 1");
  }

  /** {@return the value of a key, or null} */
  public byte @Nullable [] get(byte[] key) throws SqliteException {
    if (!exists()) {
      return null;
    }
    SqliteStatement statement = open(get, GET);
    get = statement;
    if (!statement.start((Object) key)) {
      return null;
    }
    try {
      return statement.bytes(0);
    } finally {
      statement.reset();
    }
  }

  /** Creates the table in the open transaction, unless it exists. */
  public void make() throws SqliteException {
    if (!exists()) {
      connection.execute(CREATE);
      onCreate.run();
      existence = Existence.PRESENT;
    }
  }

  /** Stores a value, in the open transaction. */
  public void put(byte[] key, byte[] value) throws SqliteException {
    make();
    SqliteStatement statement = open(put, PUT);
    put = statement;
    statement.start(key, value);
    hasKey = true;
  }

  /** {@return whether a key existed; deletes it, in the open transaction} */
  public boolean delete(byte[] key) throws SqliteException {
    hasKey = false;
    SqliteStatement statement = open(delete, DELETE);
    delete = statement;
    statement.start((Object) key);
    return connection.changes() > 0;
  }

  /** Deletes all keys, in the open transaction. */
  void deleteAll() throws SqliteException {
    hasKey = false;
    if (exists()) {
      connection.execute(DELETE_ALL);
    }
  }

  /** {@return the statement of a new scan, on its first row; null if there is none} */
  public @Nullable ScanStatement scan(KeyRange range) throws SqliteException {
    if (!exists()) {
      return null;
    }
    List<@Nullable Object> bindings = new ArrayList<>(3);
    StringBuilder sql = new StringBuilder(128).append("SELECT key, value FROM main._cf_KV");
    if (range.startInclusive() != null) {
      bindings.add(range.startInclusive());
      sql.append(" WHERE key >= CAST(? AS TEXT)");
    }
    if (range.endExclusive() != null) {
      sql.append(bindings.isEmpty() ? " WHERE" : " AND").append(" key < CAST(? AS TEXT)");
      bindings.add(range.endExclusive());
    }
    bindings.add((long) range.limit());
    sql.append(range.reverse() ? " ORDER BY key DESC LIMIT ?" : " ORDER BY key LIMIT ?");
    ScanStatement scan = new ScanStatement(statements, sql.toString());
    if (scan.statement().start(bindings.toArray())) {
      return scan;
    }
    scan.giveBack();
    return null;
  }

  /** An error may have closed the statement. */
  private SqliteStatement open(@Nullable SqliteStatement statement, String sql)
      throws SqliteException {
    return statement != null && statement.isOpen() ? statement : connection.prepare(sql);
  }

  /** The statement of a scan, which goes back to the cache when the scan ends. */
  public record ScanStatement(StatementCache cache, String sql, SqliteStatement statement) {
    ScanStatement(StatementCache cache, String sql) throws SqliteException {
      this(cache, sql, cache.take(sql));
    }

    public void giveBack() {
      cache.giveBack(sql, statement);
    }
  }
}
