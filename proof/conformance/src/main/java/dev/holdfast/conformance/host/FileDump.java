package dev.holdfast.conformance.host;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Describes the contents of a SQLite file, in the form of the recordings. */
final class FileDump {

  /** The properties of the file as a container, except its journal mode: exports have none. */
  private static final List<String> PRAGMAS =
      List.of("page_size", "encoding", "auto_vacuum", "user_version", "application_id");

  private FileDump() {}

  /** Reads a file: its keys and values, and with {@code schema} the rest. */
  static ObjectNode of(Path file, boolean schema) {
    ObjectNode dump = JsonNodeFactory.instance.objectNode();
    dump.put("file", true);
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      if (schema) {
        dump.set(
            "schema",
            rows(
                statement,
                "SELECT type, name, sql FROM sqlite_schema"
                    + " WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"));
        for (String pragma : PRAGMAS) {
          dump.set(pragma, rows(statement, "PRAGMA " + pragma).path(0).path(0));
        }
        putRows(dump, "metadata", statement, "_cf_METADATA", "SELECT key, value FROM _cf_METADATA");
      }
      putRows(
          dump,
          "kv",
          statement,
          "_cf_KV",
          "SELECT lower(hex(CAST(key AS BLOB))), lower(hex(value)) FROM _cf_KV ORDER BY key");
      return dump;
    } catch (SQLException e) {
      throw new IllegalStateException("an exported file cannot be read: " + e.getMessage(), e);
    }
  }

  /** A table without rows is omitted, like a missing one. */
  private static void putRows(
      ObjectNode dump, String name, Statement statement, String table, String query)
      throws SQLException {
    boolean exists =
        !rows(statement, "SELECT 1 FROM sqlite_schema WHERE name = '" + table + "'").isEmpty();
    ArrayNode rows = exists ? rows(statement, query) : JsonNodeFactory.instance.arrayNode();
    if (!rows.isEmpty()) {
      dump.set(name, rows);
    }
  }

  private static ArrayNode rows(Statement statement, String query) throws SQLException {
    ArrayNode rows = JsonNodeFactory.instance.arrayNode();
    try (ResultSet results = statement.executeQuery(query)) {
      int columns = results.getMetaData().getColumnCount();
      while (results.next()) {
        ArrayNode row = rows.addArray();
        for (int column = 1; column <= columns; column++) {
          add(row, results.getObject(column));
        }
      }
    }
    return rows;
  }

  private static void add(ArrayNode row, @Nullable Object value) {
    switch (value) {
      case null -> row.addNull();
      case Integer number -> row.add(number);
      case Long number -> row.add(number);
      // White space in the text of a table is not a difference.
      default -> row.add(value.toString().replaceAll("\\s+", " "));
    }
  }
}
