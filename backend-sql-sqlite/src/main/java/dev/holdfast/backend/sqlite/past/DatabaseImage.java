package dev.holdfast.backend.sqlite.past;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.database.DatabaseSize;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
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

  /** Opened by the first reading. */
  private @Nullable ObjectConnection connection;

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

  @Override
  public List<AlarmRecord> alarms() {
    return alarms;
  }

  @Override
  public List<String> tables() {
    return read(
        opened -> {
          List<String> tables = new ArrayList<>();
          if (opened.keyValues().exists()) {
            tables.add(Difference.KEYS);
          }
          tables.add(Difference.SCHEMA);
          tables.addAll(opened.connection().texts(TABLES));
          tables.sort(null);
          return tables;
        });
  }

  @Override
  public List<String> columns(String table) {
    return switch (table) {
      case Difference.KEYS -> List.of("value");
      case Difference.SCHEMA -> List.of("sql");
      default ->
          read(
              opened ->
                  opened
                      .connection()
                      .texts("SELECT name FROM pragma_table_info(" + quoted(table, '\'') + ')'));
    };
  }

  @Override
  public long count(String table) {
    String from =
        switch (table) {
          case Difference.KEYS -> "main._cf_KV";
          case Difference.SCHEMA -> '(' + SCHEMA + ')';
          default -> "main." + quoted(table, '"');
        };
    return read(
        opened -> {
          try (SqliteStatement statement =
              opened.connection().prepare("SELECT count(*) FROM " + from)) {
            return statement.start() ? statement.integer(0) : 0;
          }
        });
  }

  @Override
  public long bytes() {
    return read(DatabaseSize::of);
  }

  @Override
  public void forEach(String table, EntryVisitor visitor) {
    read(
        opened -> {
          pass(opened.connection(), table, visitor);
          return visitor;
        });
  }

  private interface Reading<T> {
    T of(ObjectConnection opened) throws SqliteException;
  }

  /** A table may have any size, so the threads of statements read it. */
  private <T> T read(Reading<T> reading) {
    try {
      return threads.runSql(
          () -> {
            ObjectConnection opened = connection;
            if (opened == null) {
              opened = ObjectConnection.open(SqliteLibrary.jdbc(), file);
              connection = opened;
            }
            return reading.of(opened);
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

  private static void pass(SqliteConnection connection, String table, EntryVisitor visitor)
      throws SqliteException {
    if (table.equals(Difference.KEYS)) {
      rows(connection, "SELECT key, NULL, value FROM main._cf_KV ORDER BY key", 1, visitor);
      return;
    }
    if (table.equals(Difference.SCHEMA)) {
      rows(connection, SCHEMA, 1, visitor);
      return;
    }
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
            + " FROM main."
            + quoted(table, '"');
    rows(connection, query, keys.size(), visitor);
  }

  private static String quoted(String name, char quote) {
    String mark = String.valueOf(quote);
    return quote + name.replace(mark, mark + mark) + quote;
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
      SqliteConnection connection, String query, int keyColumns, EntryVisitor visitor)
      throws SqliteException {
    try (SqliteStatement statement = connection.prepare(query)) {
      @Nullable Object[] row = new @Nullable Object[statement.columnCount()];
      boolean isWanted = true;
      for (boolean is = statement.start(); is && isWanted; is = statement.step()) {
        statement.values(row);
        for (int column = 0; column < row.length; column++) {
          // All bytes that are not UTF-8 become the same character, so that only the bytes
          // distinguish such texts: a key with a lone surrogate is one.
          if (row[column] instanceof String text && text.indexOf(REPLACEMENT) >= 0) {
            row[column] = new BrokenText(text, HexFormat.of().formatHex(statement.bytes(column)));
          }
        }
        isWanted =
            visitor.visit(
                key(row, keyColumns),
                identity(row, keyColumns),
                Collections.unmodifiableList(
                    Arrays.asList(Arrays.copyOfRange(row, keyColumns + 1, row.length))));
      }
    }
  }

  private static String key(@Nullable Object[] row, int keyColumns) {
    if (keyColumns == 1) {
      return plain(row[0]);
    }
    StringJoiner key = new StringJoiner(", ");
    for (int column = 0; column < keyColumns; column++) {
      key.add(plain(row[column]));
    }
    return key.toString();
  }

  /** What the key does not say: its types and lengths, or the row id. */
  private static String identity(@Nullable Object[] row, int keyColumns) {
    if (keyColumns == 1 && row[0] instanceof String) {
      return "";
    }
    StringBuilder identity = new StringBuilder();
    boolean isUnique = true;
    for (int column = 0; column < keyColumns; column++) {
      append(identity, row[column]);
      isUnique &= row[column] != null;
    }
    if (!isUnique) { // SQLite lets many rows have the same NULL in their primary key
      if (row[keyColumns] == null) {
        Arrays.stream(row).skip(keyColumns + 1L).forEach(each -> append(identity, each));
      } else {
        append(identity, row[keyColumns]);
      }
    }
    return identity.toString();
  }

  private static String plain(@Nullable Object value) {
    return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(value);
  }

  private static void append(StringBuilder text, @Nullable Object value) {
    String plain = value instanceof BrokenText broken ? broken.hex() : plain(value);
    String type = value == null ? "null" : value.getClass().getSimpleName();
    text.append(type).append(' ').append(plain.length()).append(' ').append(plain);
  }

  @Override
  public void close() {
    ObjectConnection opened = connection;
    connection = null;
    try {
      if (opened != null) {
        opened.close();
      }
    } catch (SqliteException e) {
      System.getLogger("dev.holdfast").log(Level.WARNING, "Closing " + file + " failed", e);
    }
    try {
      files.deleteImage(file);
    } catch (IOException e) {
      System.getLogger("dev.holdfast")
          .log(Level.WARNING, "A copy of an earlier state is left in " + file, e);
    }
  }
}
