package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.SqlLexer;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import dev.holdfast.backend.sqlite.words.Verbs;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A text of one or more statements, split. sqlite-jdbc compiles the first statement of a text and
 * silently drops the rest, so each is passed alone.
 *
 * @param statements in order, at least one
 * @param hasTail whether a last statement is missing: only a comment follows a semicolon
 */
public record SqlScript(List<SqlStatement> statements, boolean hasTail) {

  /** The error for a text without a statement. */
  public static final String NO_STATEMENT = "SQL code did not contain a statement.";

  /**
   * Splits a text and checks its tokens.
   *
   * @throws SqlRefusedException if it may not be run
   */
  static SqlScript of(String sql) {
    if (sql.indexOf('\0') >= 0) {
      throw SqlRefusedException.error("the statement contains the character U+0000");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(sql)) {
      // The native library would run another text, with a question mark instead.
      throw SqlRefusedException.error("the statement contains a lone surrogate");
    }
    List<SqlToken> all = SqlLexer.tokens(sql);
    List<Part> cut = split(all, sql);
    if (cut.isEmpty()) {
      throw SqlRefusedException.error(NO_STATEMENT);
    }
    List<SqlStatement> statements = new ArrayList<>(cut.size());
    for (Part part : cut) {
      List<SqlToken> tokens = part.tokens();
      // With comments after the last word: SQLite derives column names from the text.
      String text = sql.substring(tokens.getFirst().start(), endWithoutSpace(sql, part.end()));
      TokenGuard.check(tokens, text);
      statements.add(SqlStatement.of(tokens, text));
    }
    return new SqlScript(List.copyOf(statements), hasTail(all, sql));
  }

  /**
   * Strips only what SQLite also treats as space: other spaces are parts of names, and what is
   * compiled must be what was checked.
   */
  private static int endWithoutSpace(String sql, int end) {
    int at = end;
    while (at > 0 && " \t\n\f\r".indexOf(sql.charAt(at - 1)) >= 0) {
      at--;
    }
    return at;
  }

  /** {@return whether it has several statements, at least one of which writes} */
  public boolean needsSavepoint() {
    return (statements.size() > 1 || hasTail) && statements.stream().anyMatch(SqlStatement::writes);
  }

  /** As in the reference: after the last semicolon only spaces are allowed. */
  private static boolean hasTail(List<SqlToken> all, String sql) {
    SqlToken last = all.getLast();
    if (last.kind() != SqlToken.Kind.SEMICOLON) {
      return false;
    }
    boolean isDoubled = all.size() > 1 && all.get(all.size() - 2).kind() == SqlToken.Kind.SEMICOLON;
    return isDoubled || !sql.substring(last.end()).isBlank();
  }

  /**
   * A statement of a text.
   *
   * @param tokens its words
   * @param end after its semicolon, because without it SQLite would report another error; or the
   *     end of the text
   */
  private record Part(List<SqlToken> tokens, int end) {}

  private static List<Part> split(List<SqlToken> tokens, String sql) {
    List<Part> statements = new ArrayList<>();
    List<SqlToken> current = new ArrayList<>();
    for (SqlToken token : tokens) {
      boolean isEnd = token.kind() == SqlToken.Kind.SEMICOLON && !isWithinTrigger(current);
      if (!isEnd) {
        current.add(token);
      } else if (!current.isEmpty()) {
        statements.add(new Part(current, token.end()));
        current = new ArrayList<>();
      }
    }
    if (!current.isEmpty()) {
      statements.add(new Part(current, sql.length()));
    }
    return statements;
  }

  /** A trigger ends with the word END after the semicolon of its last statement. */
  private static boolean isWithinTrigger(List<SqlToken> statement) {
    if (!Verbs.createsTrigger(statement)) {
      return false;
    }
    int count = statement.size();
    return !(statement.get(count - 1).is("END")
        && statement.get(count - 2).kind() == SqlToken.Kind.SEMICOLON);
  }
}
