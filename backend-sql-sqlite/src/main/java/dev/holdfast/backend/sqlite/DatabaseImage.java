package dev.holdfast.backend.sqlite;

import dev.holdfast.StorageFailedException;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.recovery.Difference;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A database file of its own that holds what an object held at a moment; deleted when it is closed.
 * Owned by one thread.
 */
final class DatabaseImage implements PastImage {

  private static final String TABLES =
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND substr(name, 1, 4) <> '_cf_'"
          + " AND substr(name, 1, 7) <> 'sqlite_' AND sql NOT LIKE 'CREATE VIRTUAL %'";

  private static final String SCHEMA =
      "SELECT type || ' ' || name, sql FROM main.sqlite_schema WHERE substr(name, 1, 4) <> '_cf_'"
          + " AND substr(name, 1, 7) <> 'sqlite_'";

  private final Path file;
  private final List<AlarmRecord> alarms;
  private final StorageThreads threads;
  private final ObjectErrors errors;

  DatabaseImage(Path file, List<AlarmRecord> alarms, StorageThreads threads, ObjectErrors errors) {
    this.file = file;
    this.alarms = List.copyOf(alarms);
    this.threads = threads;
    this.errors = errors;
  }

  Path file() {
    return file;
  }

  List<AlarmRecord> alarms() {
    return alarms;
  }

  @Override
  public void forEach(EntryVisitor visitor) {
    try {
      threads.run(
          () -> {
            ObjectConnection connection = ObjectConnection.open(SqliteLibrary.jdbc(), file);
            try {
              read(connection, visitor);
            } finally {
              connection.close();
            }
            return visitor;
          });
    } catch (RuntimeException e) {
      throw e;
    } catch (SqliteException e) {
      throw errors.sqliteFailed("Reading an earlier state", e);
    } catch (Exception e) {
      throw failed(e);
    }
  }

  private StorageFailedException failed(Exception e) {
    return errors.storage("The earlier state in " + file + " cannot be read", e);
  }

  private static void read(ObjectConnection opened, EntryVisitor visitor) throws SqliteException {
    SqliteConnection connection = opened.connection();
    if (opened.keyValues().exists()) {
      rows(connection, "SELECT key, value FROM main._cf_KV", 1, Difference.KEYS, visitor);
    }
    rows(connection, SCHEMA, 1, Difference.SCHEMA, visitor);
    for (String table : names(connection, TABLES)) {
      List<String> keys =
          names(
              connection,
              "SELECT '\"' || replace(name, '\"', '\"\"') || '\"' FROM pragma_table_info('"
                  + table.replace("'", "''")
                  + "') WHERE pk > 0 ORDER BY pk");
      String key = keys.isEmpty() ? "rowid" : String.join(", ", keys);
      String query = "SELECT " + key + ", * FROM main.\"" + table.replace("\"", "\"\"") + '"';
      rows(connection, query, Math.max(1, keys.size()), table, visitor);
    }
  }

  private static List<String> names(SqliteConnection connection, String query)
      throws SqliteException {
    List<String> names = new ArrayList<>();
    SqliteStatement statement = connection.prepare(query);
    try {
      for (boolean row = statement.start(); row; row = statement.step()) {
        names.add(String.valueOf(statement.value(0)));
      }
    } finally {
      statement.close();
    }
    return names;
  }

  private static void rows(
      SqliteConnection connection, String query, int keyColumns, String table, EntryVisitor visitor)
      throws SqliteException {
    SqliteStatement statement = connection.prepare(query);
    try {
      for (boolean row = statement.start(); row; row = statement.step()) {
        StringBuilder key = new StringBuilder();
        for (int column = 0; column < keyColumns; column++) {
          key.append(column == 0 ? "" : ", ").append(plain(statement.value(column)));
        }
        StringBuilder value = new StringBuilder();
        for (int column = keyColumns; column < statement.columnCount(); column++) {
          value.append(typed(statement.value(column))).append('\n');
        }
        visitor.visit(table, key.toString(), value.toString());
      }
    } finally {
      statement.close();
    }
  }

  private static String plain(@Nullable Object value) {
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(value);
  }

  /** The text 1 and the number 1 are different values. */
  private static String typed(@Nullable Object value) {
    return value == null ? "null" : value.getClass().getSimpleName() + ' ' + plain(value);
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
      Files.deleteIfExists(ObjectFiles.wal(file));
    } catch (IOException e) {
      System.getLogger("dev.holdfast")
          .log(Level.WARNING, "A copy of an earlier state is left in " + file, e);
    }
  }
}
