package dev.holdfast.backend.sqlite.past;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.database.ObjectConnection;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.recovery.Difference;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A separate database file with the state of an object at an earlier moment; deleted when it is
 * closed. Confined to one thread.
 */
public final class DatabaseImage implements PastImage {

  private static final String TABLES =
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND substr(name, 1, 4) <> '_cf_'"
          + " AND substr(name, 1, 7) <> 'sqlite_' AND sql NOT LIKE 'CREATE VIRTUAL %'";

  private static final char REPLACEMENT = '\uFFFD';

  private static final List<String> ROW_ID_NAMES = List.of("rowid", "_rowid_", "oid");

  private static final String SCHEMA =
      "SELECT type || ' ' || name, NULL, sql FROM main.sqlite_schema WHERE substr(name, 1, 4) <>"
          + " '_cf_' AND substr(name, 1, 7) <> 'sqlite_'";

  private final ObjectFiles files;
  private final Path file;
  private final List<AlarmRecord> alarms;
  private final StorageThreads threads;
  private final ObjectErrors errors;

  DatabaseImage(
      ObjectFiles files,
      Path file,
      List<AlarmRecord> alarms,
      StorageThreads threads,
      ObjectErrors errors) {
    this.files = files;
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
      rows(connection, "SELECT key, NULL, value FROM main._cf_KV", 1, Difference.KEYS, visitor);
    }
    rows(connection, SCHEMA, 1, Difference.SCHEMA, visitor);
    for (String table : connection.texts(TABLES)) {
      List<String> keys = columns(connection, table, "pk > 0 ORDER BY pk");
      String rowId = rowId(connection, table);
      if (keys.isEmpty()) {
        keys = List.of(rowId);
      }
      // Generated columns follow from these; what they call might not end.
      String query =
          "SELECT "
              + String.join(", ", keys)
              + ", "
              + rowId
              + ", "
              + String.join(", ", columns(connection, table, "true"))
              + " FROM main.\""
              + table.replace("\"", "\"\"")
              + '"';
      rows(connection, query, keys.size(), table, visitor);
    }
  }

  private static List<String> columns(SqliteConnection connection, String table, String which)
      throws SqliteException {
    return connection.texts(
        "SELECT '\"' || replace(name, '\"', '\"\"') || '\"' FROM pragma_table_info('"
            + table.replace("'", "''")
            + "') WHERE "
            + which);
  }

  /** {@return the name of the row id of a table; NULL if it has none, or none that can be named} */
  private static String rowId(SqliteConnection connection, String table) throws SqliteException {
    List<String> withoutRowId =
        connection.texts(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr AND name = '"
                + table.replace("'", "''")
                + '\'');
    if (withoutRowId.isEmpty()) {
      for (String name : ROW_ID_NAMES) {
        if (columns(connection, table, "lower(name) = '" + name + '\'').isEmpty()) {
          return name;
        }
      }
    }
    return "NULL";
  }

  /** The query returns the key's columns first, then the row id or NULL, then the values. */
  private static void rows(
      SqliteConnection connection, String query, int keyColumns, String table, EntryVisitor visitor)
      throws SqliteException {
    try (SqliteStatement statement = connection.prepare(query)) {
      for (boolean row = statement.start(); row; row = statement.step()) {
        StringBuilder key = new StringBuilder();
        StringBuilder identity = new StringBuilder();
        boolean isUnique = true;
        for (int column = 0; column < keyColumns; column++) {
          Object value = statement.value(column);
          key.append(column == 0 ? "" : ", ").append(plain(value));
          append(identity, statement, column);
          isUnique &= value != null;
        }
        StringBuilder value = new StringBuilder();
        for (int column = keyColumns + 1; column < statement.columnCount(); column++) {
          append(value, statement, column);
        }
        if (!isUnique) { // SQLite lets many rows have the same NULL in their primary key
          Object rowId = statement.value(keyColumns);
          append(identity, "", rowId == null ? value.toString() : rowId.toString());
        }
        visitor.visit(table, key.toString(), identity.toString(), value.toString());
      }
    }
  }

  private static String plain(@Nullable Object value) {
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(value);
  }

  /**
   * Appends a value so that other values, or the same text in other columns, never look the same:
   * the text 1 and the number 1 are different.
   *
   * <p>Text may have bytes that are not UTF-8, such as a key with a lone surrogate. They all become
   * the same replacement character, so that only the bytes distinguish such texts.
   */
  private static void append(StringBuilder text, SqliteStatement statement, int column)
      throws SqliteException {
    Object value = statement.value(column);
    if (value instanceof String string && string.indexOf(REPLACEMENT) >= 0) {
      append(text, "bytes", HexFormat.of().formatHex(statement.bytes(column)));
    } else {
      append(text, value == null ? "null" : value.getClass().getSimpleName(), plain(value));
    }
  }

  private static void append(StringBuilder text, String type, String plain) {
    text.append(type).append(' ').append(plain.length()).append(' ').append(plain);
  }

  @Override
  public void close() {
    try {
      files.deleteImage(file);
    } catch (IOException e) {
      System.getLogger("dev.holdfast")
          .log(Level.WARNING, "A copy of an earlier state is left in " + file, e);
    }
  }
}
