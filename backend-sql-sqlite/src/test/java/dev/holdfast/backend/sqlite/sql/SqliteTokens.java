package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How SQLite itself splits a text. After {@code SAVEPOINT x} it accepts only the end of the
 * statement, so its error names the first token that follows; the rest of the text is checked in
 * the same way. Confined to one thread.
 */
final class SqliteTokens implements AutoCloseable {

  private static final int REMEMBERED_LENGTH_MAX = 3;

  private final Path file;
  private final SqliteConnection connection;
  private final Map<String, First> known = new HashMap<>();

  SqliteTokens() throws IOException, SqliteException {
    file = Files.createTempFile("tokens", ".sqlite");
    connection = SqliteLibrary.jdbc().open(file);
  }

  /**
   * The first token of a text.
   *
   * @param text as written; empty if there is none
   * @param isToken whether it is one, and not something that SQLite does not recognise
   */
  record First(String text, boolean isToken) {}

  First first(String text) {
    if (text.codePointCount(0, text.length()) > REMEMBERED_LENGTH_MAX) {
      return ask(text);
    }
    return known.computeIfAbsent(text, this::ask);
  }

  private First ask(String text) {
    String error = error("SAVEPOINT x " + text);
    if (error.isEmpty()) {
      return new First(error("SAVEPOINT " + text).equals("incomplete input") ? "" : ";", true);
    }
    String quoted = error.substring(error.indexOf('"') + 1, error.lastIndexOf('"'));
    return new First(quoted, error.startsWith("near "));
  }

  /** {@return the error in a text; empty if there is none} */
  String error(String sql) {
    try {
      connection.prepare(sql).close();
      return "";
    } catch (SqliteException e) {
      return e.text();
    }
  }

  /** {@return the number of parameters of a text} */
  int parameters(String sql) throws SqliteException {
    SqliteStatement statement = connection.prepare(sql);
    int count = statement.parameterCount();
    statement.close();
    return count;
  }

  /** {@return the name of the first column of a query} */
  String name(String sql) throws SqliteException {
    SqliteStatement statement = connection.prepare(sql);
    String name = statement.columnNames().getFirst();
    statement.close();
    return name;
  }

  /** {@return the first value of a query} */
  Object value(String sql) throws SqliteException {
    SqliteStatement statement = connection.prepare(sql);
    statement.start();
    Object value = statement.value(0);
    statement.close();
    return String.valueOf(value);
  }

  @Override
  public void close() throws IOException, SqliteException {
    connection.close();
    Files.delete(file);
  }
}
