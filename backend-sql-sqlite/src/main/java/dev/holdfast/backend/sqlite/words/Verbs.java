package dev.holdfast.backend.sqlite.words;

import java.util.List;

/** Finds the words that determine what a statement does. */
public final class Verbs {

  private Verbs() {}

  /** {@return the index of the first word after EXPLAIN [QUERY PLAN]} */
  public static int firstWord(List<SqlToken> tokens) {
    int at = 0;
    if (tokens.getFirst().is("EXPLAIN")) {
      at++;
      if (at + 1 < tokens.size() && tokens.get(at).is("QUERY") && tokens.get(at + 1).is("PLAN")) {
        at += 2;
      }
    }
    return at;
  }

  /** {@return the verb of the statement; after WITH, the first verb outside brackets} */
  public static SqlToken main(List<SqlToken> tokens) {
    SqlToken first = tokens.getFirst();
    if (!first.is("WITH")) {
      return first;
    }
    int depth = 0;
    for (SqlToken token : tokens) {
      if (token.isSign('(')) {
        depth++;
      } else if (token.isSign(')')) {
        depth--;
      } else if (depth == 0 && isVerb(token)) {
        return token;
      }
    }
    return first;
  }

  private static boolean isVerb(SqlToken token) {
    return token.is("SELECT")
        || token.is("VALUES")
        || token.is("INSERT")
        || token.is("REPLACE")
        || token.is("UPDATE")
        || token.is("DELETE");
  }

  static boolean isTemporary(SqlToken token) {
    return token.is("TEMP") || token.is("TEMPORARY");
  }

  /** {@return whether a statement, or its beginning, creates a trigger} */
  public static boolean createsTrigger(List<SqlToken> tokens) {
    if (tokens.isEmpty()) {
      return false;
    }
    int at = firstWord(tokens);
    if (at >= tokens.size() || !tokens.get(at).is("CREATE")) {
      return false;
    }
    at++;
    if (at < tokens.size() && isTemporary(tokens.get(at))) {
      at++;
    }
    return at < tokens.size() && tokens.get(at).is("TRIGGER");
  }
}
