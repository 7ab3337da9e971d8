package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.SqlLexer;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the schema of a file of other origin may contain. */
public final class StoredDefinitions {

  /** As SQLite stores them, however they were typed. */
  private static final Map<String, List<String>> BEGINNINGS =
      Map.of(
          "table", List.of("CREATE TABLE ", "CREATE VIRTUAL TABLE "),
          "index", List.of("CREATE INDEX ", "CREATE UNIQUE INDEX "),
          "view", List.of("CREATE VIEW "),
          "trigger", List.of("CREATE TRIGGER "));

  private static final Set<String> NOT_PLAIN =
      Set.of(
          "as",
          "check",
          "collate",
          "default",
          "foreign",
          "generated",
          "on",
          "references",
          "select",
          "unique");

  private StoredDefinitions() {}

  /**
   * Checks a definition by the rules for statements that are run, and by its beginning: SQLite
   * ignores what follows a first statement, but would run it where the text is used.
   *
   * @param type table, index, view or trigger
   * @param sql its definition
   * @return why no object can have it; null if one can
   */
  public static @Nullable String problem(String type, String sql) {
    if (BEGINNINGS.getOrDefault(type, List.of()).stream().noneMatch(sql::startsWith)) {
      return "its text is not one that SQLite stores for a " + type;
    }
    try {
      SqlScript script = SqlScript.of(sql);
      boolean isOne = script.statements().size() == 1 && !script.hasTail();
      return isOne ? null : "its text has more than one statement";
    } catch (SqlRefusedException e) {
      return e.text();
    }
  }

  /**
   * {@return whether a text creates a table of columns and a primary key, and nothing that
   * computes, checks or refers}
   *
   * @param sql the text
   */
  public static boolean isPlainTable(String sql) {
    if (!sql.startsWith("CREATE TABLE ") || sql.indexOf('\0') >= 0) {
      return false;
    }
    try {
      return SqlLexer.tokens(sql).stream().allMatch(StoredDefinitions::isPlain);
    } catch (SqlRefusedException e) {
      return false;
    }
  }

  private static boolean isPlain(SqlToken token) {
    return switch (token.kind()) {
      case WORD -> !NOT_PLAIN.contains(token.lowerCase());
      case QUOTED_NAME, STRING -> true;
      case SIGN -> token.isSign('(') || token.isSign(')') || token.isSign(',');
      case NUMBER, BLOB, PARAMETER, SEMICOLON -> false;
    };
  }

  /**
   * {@return whether a full text table may have this rank}
   *
   * @param rank the rank in its configuration
   */
  public static boolean isRankAllowed(String rank) {
    return RankRules.isAllowed(rank);
  }
}
