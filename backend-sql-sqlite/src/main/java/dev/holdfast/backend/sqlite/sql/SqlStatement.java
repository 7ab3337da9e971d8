package dev.holdfast.backend.sqlite.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement of a script.
 *
 * @param sql its text, with the semicolon if it has one
 * @param verb what it does
 * @param explained its text without EXPLAIN, for SQLite to show the program of
 * @param writes whether it may change the database; true if in doubt
 * @param switchSet the switch of the connection that it sets when it is compiled, or null
 */
public record SqlStatement(
    String sql, Verb verb, String explained, boolean writes, @Nullable SwitchSet switchSet) {

  /** What a statement does, as far as it matters here. */
  public enum Verb {
    /** Reads or changes rows. */
    ROWS,
    /** Creates or drops. */
    SCHEMA,
    /** Changes a table; SQLite runs statements of its own for it. */
    ALTER,
    /** Collects statistics. */
    ANALYZE,
    /** Asks or sets something of the connection. */
    PRAGMA,
    /** Nothing that is known: a syntax error, unless the words were misread. */
    UNKNOWN
  }

  static SqlStatement of(List<SqlToken> tokens, String text) {
    int first = Verbs.firstWord(tokens);
    if (first >= tokens.size()) {
      return new SqlStatement(text, Verb.UNKNOWN, text, false, null);
    }
    List<SqlToken> behindExplain = tokens.subList(first, tokens.size());
    String explained = text.substring(tokens.get(first).start() - tokens.getFirst().start());
    Verb verb = verb(Verbs.main(behindExplain));
    boolean isRun = first == 0;
    boolean writes = isRun && mayWrite(behindExplain, verb);
    SwitchSet switchSet = verb == Verb.PRAGMA ? PragmaRules.switchSet(behindExplain, 1) : null;
    return new SqlStatement(text, verb, explained, writes, switchSet);
  }

  private static Verb verb(SqlToken word) {
    if (word.kind() != SqlToken.Kind.WORD) {
      return Verb.UNKNOWN;
    }
    return switch (word.upperCase()) {
      case "SELECT", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE" -> Verb.ROWS;
      case "CREATE", "DROP", "REINDEX" -> Verb.SCHEMA;
      case "ALTER" -> Verb.ALTER;
      case "ANALYZE" -> Verb.ANALYZE;
      case "PRAGMA" -> Verb.PRAGMA;
      default -> Verb.UNKNOWN;
    };
  }

  private static boolean mayWrite(List<SqlToken> tokens, Verb verb) {
    return switch (verb) {
      case SCHEMA, ALTER, ANALYZE -> true;
      case PRAGMA -> PragmaRules.mayWrite(tokens, 1);
      case ROWS -> !Verbs.main(tokens).is("SELECT") && !Verbs.main(tokens).is("VALUES");
      case UNKNOWN -> false;
    };
  }

  /** {@return whether the tables may be others when it has run} */
  public boolean changesSchema() {
    return writes && verb != Verb.ROWS && verb != Verb.PRAGMA;
  }

  /** {@return whether it only shows how another statement would be run} */
  public boolean isExplain() {
    return sql.length() != explained.length();
  }

  /** {@return whether SQLite may collect statistics, those of hidden tables with them} */
  public boolean analyzes() {
    return writes && (verb == Verb.ANALYZE || verb == Verb.PRAGMA);
  }
}
