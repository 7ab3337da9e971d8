package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.program.Program;
import dev.holdfast.backend.sqlite.words.AsciiCase;
import dev.holdfast.backend.sqlite.words.SqlLexer;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The views of a schema that a full text table may use as its content: FTS5 reads them with its own
 * statements, which no program shows. So the programs of the views themselves are checked, once for
 * a schema. Thread-safe.
 */
final class ContentViews {

  static final ContentViews NONE = new ContentViews(Set.of());

  private static final int SQLITE_ERROR = 1;

  private final Set<String> views;

  /** Why virtual tables are not available; empty if they are, null before the first check. */
  private volatile @Nullable String problem;

  private ContentViews(Set<String> views) {
    this.views = views;
    this.problem = views.isEmpty() ? "" : null;
  }

  static ContentViews of(List<Schema.Entry> entries) {
    Map<String, String> views = new HashMap<>();
    for (Schema.Entry entry : entries) {
      if (entry.type().equals("view")) {
        views.put(AsciiCase.lower(entry.name()), entry.name());
      }
    }
    Set<String> contents = new HashSet<>();
    for (Schema.Entry entry : entries) {
      if (!views.isEmpty() && entry.isVirtual()) {
        contents.addAll(options(entry.sql()));
      }
    }
    views.keySet().retainAll(contents);
    return views.isEmpty() ? NONE : new ContentViews(Set.copyOf(views.values()));
  }

  /** {@return the values of the options of a virtual table, in lower case} */
  private static List<String> options(String definition) {
    List<String> values = new ArrayList<>();
    List<SqlToken> tokens = SqlLexer.tokens(definition);
    for (int index = 1; index < tokens.size(); index++) {
      if (tokens.get(index - 1).isEqualSign()) {
        values.add(tokens.get(index).lowerCase());
      }
    }
    return values;
  }

  /**
   * Checks all views.
   *
   * @throws SqlRefusedException if one does what a statement may not do
   * @throws SqliteException if one cannot be read
   */
  void check(SqliteConnection connection, Schema schema) throws SqliteException {
    String known = problem;
    if (known == null) {
      known = problem(connection, schema);
      problem = known;
    }
    if (!known.isEmpty()) {
      throw SqlRefusedException.notAuthorized(known);
    }
  }

  private String problem(SqliteConnection connection, Schema schema) throws SqliteException {
    for (String view : views) {
      String name = '"' + view.replace("\"", "\"\"") + '"';
      try {
        Program program = Program.of(connection, "SELECT * FROM main." + name);
        ProgramGuard.check(program, schema, SqlStatement.Verb.ROWS);
        if (program.usesVirtual()) {
          return unavailable(view, "it reads a virtual table");
        }
      } catch (SqlRefusedException e) {
        return unavailable(view, e.text());
      } catch (SqliteException e) {
        if (e.primaryCode() != SQLITE_ERROR) {
          throw e;
        }
        return unavailable(view, e.text());
      }
    }
    return "";
  }

  private static String unavailable(String view, String why) {
    return "virtual tables are not available while one of them may have its content from the view "
        + view
        + ": "
        + why;
  }
}
