package dev.holdfast.backend.sqlite;

import java.util.ArrayList;
import java.util.List;

/**
 * A text of one or more statements, cut apart. sqlite-jdbc compiles the first statement of a text
 * and drops the rest without a word, so each is handed over alone.
 *
 * @param statements in order; empty if the text has none
 */
record SqlScript(List<Statement> statements) {

  /**
   * One statement.
   *
   * @param sql its text, without the semicolon
   * @param writes whether it may change the database
   */
  record Statement(String sql, boolean writes) {}

  /**
   * Cuts a text and looks at it.
   *
   * @throws SqlRefusedException if it may not be run
   */
  static SqlScript of(String sql) {
    if (sql.indexOf('\0') >= 0) {
      throw new SqlRefusedException("the statement contains the character U+0000", 1);
    }
    List<Statement> statements = new ArrayList<>();
    for (List<SqlToken> tokens : split(SqlLexer.tokens(sql))) {
      String text = sql.substring(tokens.getFirst().start(), tokens.getLast().end());
      SqlGuard.check(tokens, text);
      statements.add(new Statement(text, SqlGuard.mayWrite(tokens)));
    }
    return new SqlScript(List.copyOf(statements));
  }

  boolean writes() {
    return statements.stream().anyMatch(Statement::writes);
  }

  private static List<List<SqlToken>> split(List<SqlToken> tokens) {
    List<List<SqlToken>> statements = new ArrayList<>();
    List<SqlToken> current = new ArrayList<>();
    for (SqlToken token : tokens) {
      boolean isEnd = token.kind() == SqlToken.Kind.SEMICOLON && !isWithinTrigger(current);
      if (!isEnd) {
        current.add(token);
      } else if (!current.isEmpty()) {
        statements.add(current);
        current = new ArrayList<>();
      }
    }
    if (!current.isEmpty()) {
      statements.add(current);
    }
    return statements;
  }

  /** A trigger ends with the word END behind the semicolon of its last statement. */
  private static boolean isWithinTrigger(List<SqlToken> statement) {
    if (!SqlGuard.createsTrigger(statement)) {
      return false;
    }
    int count = statement.size();
    return !(statement.get(count - 1).is("END")
        && statement.get(count - 2).kind() == SqlToken.Kind.SEMICOLON);
  }
}
