package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.Objects;
import dev.holdfast.backend.sqlite.binding.CanaryLibrary;
import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.spi.ObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The effects of an attack on a database, its connection and its process. */
final class Effects {

  static final String KEY = "hidden-key";
  static final String VALUE = "hidden-value";
  private static final Object[] NONE = {};

  /** All pragmas that can be read back, except those that an application may switch. */
  private static final String[] PRAGMAS = {
    "application_id",
    "auto_vacuum",
    "automatic_index",
    "busy_timeout",
    "cache_size",
    "cache_spill",
    "cell_size_check",
    "checkpoint_fullfsync",
    "count_changes",
    "data_store_directory",
    "empty_result_callbacks",
    "encoding",
    "full_column_names",
    "fullfsync",
    "hard_heap_limit",
    "journal_mode",
    "journal_size_limit",
    "locking_mode",
    "max_page_count",
    "mmap_size",
    "page_size",
    "query_only",
    "read_uncommitted",
    "secure_delete",
    "short_column_names",
    "soft_heap_limit",
    "synchronous",
    "temp_store",
    "temp_store_directory",
    "threads",
    "trusted_schema",
    "user_version",
    "wal_autocheckpoint",
    "writable_schema",
    "analysis_limit"
  };

  private static final String TABLES =
      "SELECT (SELECT count(*) FROM temp.sqlite_schema), (SELECT group_concat(name) FROM"
          + " pragma_database_list), (SELECT count(*) FROM pragma_table_list WHERE name LIKE"
          + " 'full\\_text\\_%' ESCAPE '\\'), (SELECT count(*) FROM main.sqlite_schema WHERE sql"
          + " LIKE '%USING%fts3%' OR sql LIKE '%USING%fts4%' OR sql LIKE '%USING dbstat%' OR ((type"
          + " = 'index' OR type = 'trigger') AND tbl_name LIKE 'full\\_text\\_%' ESCAPE '\\' AND"
          + " sql IS NOT NULL))";

  /** With names in quotes, as in its texts: a quote may be the first letter of a name. */
  private static final String SCHEMA =
      "SELECT format('\"%w\" \"%w\" %s', name, tbl_name, sql) FROM main.sqlite_schema";

  /** Text in quotes, or a comment, which may have no end: SQLite keeps it with a view. */
  private static final Pattern QUOTED_OR_COMMENT =
      Pattern.compile(
          "'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\\[[^\\]]*]"
              + "|(?<comment>/\\*.*?(?:\\*/|$)|--[^\\n]*)",
          Pattern.DOTALL);

  private static final String OF_NAMES = "[\\w$\\x{80}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}]";

  /**
   * The start of a hidden table's name that does not continue another name. A byte order mark is a
   * space, but within a name a letter.
   */
  private static final Pattern MENTION =
      Pattern.compile(
          "(?<!" + OF_NAMES + "\\x{FEFF}{0,4}|[\"'`\\[][\"'`])_cf_", Pattern.CASE_INSENSITIVE);

  private final CanaryLibrary library;
  private final String secretPath;
  private List<String> before = List.of();

  Effects(CanaryLibrary library, Path directory) {
    this.library = library;
    this.secretPath = directory.toString();
  }

  /** Creates the target of attacks. */
  static void fill(ObjectStore store) {
    Objects.commit(
        store,
        turn -> {
          turn.put(Objects.bytes(KEY), Objects.bytes(VALUE));
          turn.exec(
              "CREATE TABLE t (v); INSERT INTO t VALUES ('1'), ('2');"
                  + "CREATE TABLE u (v UNIQUE); INSERT INTO u VALUES (1), (2);"
                  + "CREATE TABLE child (p REFERENCES u (v));"
                  + "CREATE VIEW seen AS SELECT * FROM t;"
                  + "CREATE INDEX by_v ON t (v);"
                  + "ANALYZE;"
                  + "CREATE VIRTUAL TABLE full_text USING fts5(a);"
                  + "INSERT INTO full_text VALUES ('some words'), ('some more')",
              NONE);
        });
  }

  /** Reads the state of the connection before any attack. */
  void begin(SqliteConnection connection) throws SqliteException {
    before = state(connection);
  }

  /** {@return what has changed} */
  List<String> of(SqliteConnection connection) throws SqliteException {
    List<String> effects = new ArrayList<>();
    List<String> after = state(connection);
    for (int each = 0; each < before.size(); each++) {
      if (!after.get(each).equals(before.get(each))) {
        effects.add("changed: " + before.get(each) + " is " + after.get(each));
      }
    }
    return effects;
  }

  private static List<String> state(SqliteConnection connection) throws SqliteException {
    List<String> state = new ArrayList<>();
    for (String pragma : PRAGMAS) {
      state.add(pragma + "=" + row(connection, "PRAGMA " + pragma));
    }
    state.add("tables=" + row(connection, TABLES));
    state.add("mentions of hidden tables=" + mentions(connection));
    return state;
  }

  private static long mentions(SqliteConnection connection) throws SqliteException {
    SqliteStatement query = connection.prepare(SCHEMA);
    try {
      long count = 0;
      for (boolean isRow = query.start(); isRow; isRow = query.step()) {
        String text =
            QUOTED_OR_COMMENT
                .matcher(String.valueOf(query.value(0)))
                .replaceAll(
                    each ->
                        each.group("comment") == null
                            ? Matcher.quoteReplacement(each.group())
                            : " ");
        count += MENTION.matcher(text).results().count();
      }
      return count;
    } finally {
      query.close();
    }
  }

  private static String row(SqliteConnection connection, String sql) throws SqliteException {
    SqliteStatement query = connection.prepare(sql);
    try {
      if (!query.start()) {
        return "nothing";
      }
      Object[] values = new Object[query.columnCount()];
      query.values(values);
      return Arrays.toString(values);
    } finally {
      query.close();
    }
  }

  /** {@return the secrets that a text shows; empty if none} */
  List<String> shownBy(String text) {
    for (String secret : List.of(KEY, VALUE, secretPath, "68696464656E", "3.54.")) {
      // An attack that asks for a key, or names it, already has it.
      if (text.contains(secret)) {
        return List.of("shows " + secret);
      }
    }
    return List.of();
  }

  /** {@return what happened outside the database; undoes it} */
  List<String> outside() throws IOException {
    List<String> effects = new ArrayList<>();
    if (library.hasSung()) {
      effects.add("a function was called");
    }
    try (Stream<Path> files = Files.list(Path.of(""))) {
      for (Path file : files.toList()) {
        effects.add("wrote the file " + file);
        Files.delete(file);
      }
    }
    return effects;
  }
}
