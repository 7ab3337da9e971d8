package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rank functions that FTS5 may be given. FTS5 puts the text into a separate statement, which no
 * program shows, so that any function of the library could be called: only a literal {@code
 * bm25(...)} is allowed.
 */
final class RankRules {

  private static final String RANK = "rank";

  /** As in {@code main.ft AS x}. */
  private static final int NAME_TOKENS_MAX = 5;

  private static final Pattern LITERAL =
      Pattern.compile("\\s*bm25\\s*\\(\\s*(-?[0-9.]+\\s*(,\\s*-?[0-9.]+\\s*)*)?\\)\\s*");

  private RankRules() {}

  static SqlRefusedException refused() {
    return SqlRefusedException.notAuthorized(
        "the rank of a full text search can only be a literal" + " 'bm25(...)'");
  }

  static boolean isAllowed(String rank) {
    return rank.length() <= 1_000 && LITERAL.matcher(rank).matches();
  }

  /**
   * Checks that no INSERT, including one in a trigger, stores another rank: {@code INSERT INTO
   * ft(ft, rank) VALUES ('rank', '...')}.
   *
   * @throws SqlRefusedException if one may
   */
  static void check(List<SqlToken> tokens) {
    for (int index = 0; index + 1 < tokens.size(); index++) {
      if (tokens.get(index).is("INTO")) {
        checkInsert(tokens, index + 1);
      }
    }
  }

  /** {@return whether an INSERT names the column that full text tables have for commands} */
  static boolean mayConfigure(List<SqlToken> tokens) {
    for (int index = 0; index + 1 < tokens.size(); index++) {
      Target target = tokens.get(index).is("INTO") ? target(tokens, index + 1) : null;
      if (target != null && column(tokens, target, target.table()) >= 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Where an INSERT writes.
   *
   * @param table in lower case
   * @param open the bracket that opens the list of columns
   * @param end the one that closes it
   */
  private record Target(String table, int open, int end) {}

  private static @Nullable Target target(List<SqlToken> tokens, int name) {
    int last = Math.min(tokens.size(), name + NAME_TOKENS_MAX);
    int open = name;
    while (open < last && (tokens.get(open).mayBeName() || tokens.get(open).isSign('.'))) {
      open++;
    }
    if (open == name || open == tokens.size() || !tokens.get(open).isSign('(')) {
      return null;
    }
    int end = end(tokens, open);
    if (end < 0) {
      return null; // no correct SQL
    }
    boolean isQualified = tokens.get(name + 1).isSign('.') && name + 2 < open;
    String table = tokens.get(isQualified ? name + 2 : name).lowerCase();
    return new Target(table, open, end);
  }

  /** {@return the bracket that closes a list without others in it; -1 if there is none} */
  private static int end(List<SqlToken> tokens, int open) {
    for (int index = open + 1; index < tokens.size(); index++) {
      if (tokens.get(index).isSign('(') || tokens.get(index).isSign(')')) {
        return tokens.get(index).isSign(')') ? index : -1;
      }
    }
    return -1;
  }

  private static void checkInsert(List<SqlToken> tokens, int name) {
    Target target = target(tokens, name);
    if (target == null) {
      return;
    }
    int rank = column(tokens, target, RANK);
    int command = column(tokens, target, target.table());
    if (rank >= 0 && command >= 0 && !isHarmless(tokens, target.end() + 1, command, rank)) {
      throw refused();
    }
  }

  /** {@return the index of the column of a list with a name; -1 if there is none} */
  private static int column(List<SqlToken> tokens, Target list, String name) {
    for (int index = list.open() + 1; index < list.end(); index += 2) {
      if (tokens.get(index).lowerCase().equals(name)) {
        return (index - list.open()) / 2;
      }
    }
    return -1;
  }

  /**
   * {@return whether one row of literals follows that does not set the rank, or sets an allowed
   * one}
   */
  private static boolean isHarmless(List<SqlToken> tokens, int values, int command, int rank) {
    int open = values + 1;
    if (open >= tokens.size() || !tokens.get(values).is("VALUES")) {
      return false;
    }
    int end = end(tokens, open);
    boolean isOneRow = end + 1 >= tokens.size() || !tokens.get(end + 1).isSign(',');
    int commandAt = open + 1 + 2 * command;
    int rankAt = open + 1 + 2 * rank;
    if (!isOneRow || Math.max(commandAt, rankAt) >= end || !isPlainList(tokens, open, end)) {
      return false;
    }
    SqlToken what = tokens.get(commandAt);
    return what.kind() == SqlToken.Kind.STRING
        && (!what.lowerCase().equals(RANK) || isAllowed(tokens.get(rankAt).text()));
  }

  /** {@return whether each value is one token} */
  private static boolean isPlainList(List<SqlToken> tokens, int open, int end) {
    for (int index = open + 2; index < end; index += 2) {
      if (!tokens.get(index).isSign(',')) {
        return false;
      }
    }
    return true;
  }
}
