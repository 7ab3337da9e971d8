package dev.holdfast.backend.sqlite.past;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.recovery.Difference;
import dev.holdfast.spi.PastImage.BrokenText;
import dev.holdfast.spi.PastImage.EntryVisitor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the entries of one table of a database: the keys, the definitions, or rows. Confined to one
 * thread.
 *
 * @param connection has the database
 * @param table the table, as it is written in a statement
 * @param keys the columns of the key
 * @param rowId the name of the row id; NULL if there is none, or none that can be named
 * @param columns the columns of the values
 * @param definition what made the table; empty if it is not a table
 */
record ImageRows(
    SqliteConnection connection,
    String table,
    List<String> keys,
    String rowId,
    List<String> columns,
    String definition) {

  /** The definitions of tables, indexes, views and triggers; the name of a database is missing. */
  static final String DEFINITIONS =
      "(SELECT type || ' ' || name AS name, sql FROM %s.sqlite_schema WHERE substr(name, 1, 4) <>"
          + " '_cf_' AND substr(name, 1, 7) <> 'sqlite_')";

  private static final char REPLACEMENT = '\uFFFD';
  private static final List<String> ROW_ID_NAMES = List.of("rowid", "_rowid_", "oid");
  private static final String NO_ROW_ID = "NULL";

  /** SQLite nests a condition once for each column. */
  private static final int COLUMNS_COMPARED_MAX = 200;

  /** {@return the entries of a table} */
  static ImageRows of(SqliteConnection connection, String database, String table)
      throws SqliteException {
    return switch (table) {
      case Difference.KEYS ->
          new ImageRows(
              connection,
              database + "._cf_KV",
              List.of("key"),
              NO_ROW_ID,
              List.of("value"),
              "keys");
      case Difference.SCHEMA ->
          new ImageRows(
              connection,
              DEFINITIONS.formatted(database),
              List.of("name"),
              NO_ROW_ID,
              List.of("sql"),
              "");
      default -> {
        String info = "pragma_table_info(" + quoted(table, '\'') + ", '" + database + "')";
        List<String> keys = columns(connection, info, "pk > 0 ORDER BY pk");
        String rowId = rowId(connection, database, table, info);
        yield new ImageRows(
            connection,
            database + '.' + quoted(table, '"'),
            keys.isEmpty() ? List.of(rowId) : keys,
            rowId,
            columns(connection, info, "true"),
            String.join(
                "",
                connection.texts(
                    "SELECT sql FROM "
                        + database
                        + ".sqlite_schema WHERE type = 'table' AND name = "
                        + quoted(table, '\''))));
      }
    };
  }

  /** Generated columns are left out: they follow from these, and what they call might not end. */
  private static List<String> columns(SqliteConnection connection, String info, String which)
      throws SqliteException {
    return connection.texts(
        "SELECT '\"' || replace(name, '\"', '\"\"') || '\"' FROM " + info + " WHERE " + which);
  }

  private static String rowId(
      SqliteConnection connection, String database, String table, String info)
      throws SqliteException {
    String withGenerated = info.replaceFirst("info", "xinfo"); // they hide the row id as well
    List<String> withoutRowId =
        connection.texts(
            "SELECT name FROM pragma_table_list("
                + quoted(table, '\'')
                + ") WHERE schema = '"
                + database
                + "' AND wr");
    if (withoutRowId.isEmpty()) {
      for (String name : ROW_ID_NAMES) {
        if (columns(connection, withGenerated, "lower(name) = '" + name + '\'').isEmpty()) {
          return name;
        }
      }
    }
    return NO_ROW_ID;
  }

  static String quoted(String name, char quote) {
    String mark = String.valueOf(quote);
    return quote + name.replace(mark, mark + mark) + quote;
  }

  /** Passes all: keys in their order. */
  void pass(EntryVisitor visitor) throws SqliteException {
    pass("", visitor);
  }

  /**
   * Passes those that another table does not have, or has with other values; all of them if SQLite
   * cannot tell.
   *
   * @param other the same table of another database, which is asked in the same way
   */
  void passUnlike(ImageRows other, EntryVisitor visitor) throws SqliteException {
    List<String> place =
        !rowId.equals(NO_ROW_ID)
            ? List.of(rowId)
            : keys.equals(List.of(NO_ROW_ID)) ? List.of() : keys;
    boolean isComparable =
        !definition.isEmpty()
            && definition.equals(other.definition)
            && columns.size() <= COLUMNS_COMPARED_MAX
            && !place.isEmpty();
    if (!isComparable) {
      pass(visitor);
      return;
    }
    // A row is the same only if its types are, too, whatever a collation makes equal.
    List<String> conditions = new ArrayList<>();
    place.forEach(each -> conditions.add("that." + each + " = this." + each));
    columns.forEach(
        each ->
            conditions.add(
                "that.%1$s IS this.%1$s COLLATE BINARY AND typeof(that.%1$s) = typeof(this.%1$s)"
                    .formatted(each)));
    pass(
        conditions.stream()
            .collect(
                Collectors.joining(
                    " AND ",
                    " WHERE NOT EXISTS (SELECT 1 FROM " + other.table + " AS that WHERE ",
                    ")")),
        visitor);
  }

  private void pass(String where, EntryVisitor visitor) throws SqliteException {
    String query =
        "SELECT "
            + String.join(", ", keys)
            + ", "
            + rowId
            + ", "
            + String.join(", ", columns)
            + " FROM "
            + table
            + " AS this"
            + where
            + (definition.equals("keys") ? " ORDER BY key" : "");
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
        List<@Nullable Object> values =
            Arrays.asList(Arrays.copyOfRange(row, keys.size() + 1, row.length));
        isWanted =
            visitor.visit(
                key(row), identity(row), Collections.<@Nullable Object>unmodifiableList(values));
      }
    }
  }

  private String key(@Nullable Object[] row) {
    StringJoiner key = new StringJoiner(", ");
    for (int column = 0; column < keys.size(); column++) {
      key.add(plain(row[column]));
    }
    return key.toString();
  }

  /** What the key does not say: its types and lengths, or the row id. */
  private String identity(@Nullable Object[] row) {
    if (keys.size() == 1 && row[0] instanceof String) {
      return "";
    }
    StringBuilder identity = new StringBuilder();
    boolean isUnique = true;
    for (int column = 0; column < keys.size(); column++) {
      append(identity, row[column]);
      isUnique &= row[column] != null;
    }
    if (!isUnique) { // SQLite lets many rows have the same NULL in their primary key
      if (row[keys.size()] == null) {
        Arrays.stream(row).skip(keys.size() + 1L).forEach(each -> append(identity, each));
      } else {
        append(identity, row[keys.size()]);
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
}
