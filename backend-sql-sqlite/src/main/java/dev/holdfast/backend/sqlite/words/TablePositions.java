package dev.holdfast.backend.sqlite.words;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;

/**
 * Where a statement may name a table. In these positions SQLite reads a string as a name, and a
 * name before a bracket as a table with arguments. Only keywords that cannot be names end a list of
 * tables.
 */
public final class TablePositions {

  private final BitSet positions = new BitSet();

  private TablePositions() {}

  public static TablePositions of(List<SqlToken> tokens) {
    TablePositions found = new TablePositions();
    Deque<Boolean> outer = new ArrayDeque<>();
    boolean isInList = false;
    for (int index = 1; index < tokens.size(); index++) {
      SqlToken token = tokens.get(index);
      SqlToken before = tokens.get(index - 1);
      boolean isFirst = before.is("JOIN") || beginsList(tokens, index - 1);
      boolean isNext = isFirst || before.isSign(',') || before.isSign('(');
      if (token.mayBeName() && ((isInList && isNext) || namesTable(before))) {
        found.positions.set(index);
      }
      if (token.isSign('(')) {
        outer.push(isInList);
        isInList = isInList && isNext;
      } else if (token.isSign(')')) {
        isInList = !outer.isEmpty() && outer.pop();
      } else if (token.is("JOIN") || beginsList(tokens, index)) {
        isInList = true;
      } else if (endsList(token)) {
        isInList = false;
      }
    }
    return found;
  }

  /** An expression follows {@code IS DISTINCT FROM}. */
  private static boolean beginsList(List<SqlToken> tokens, int index) {
    return tokens.get(index).is("FROM") && !(index > 0 && tokens.get(index - 1).is("DISTINCT"));
  }

  private static boolean namesTable(SqlToken before) {
    return before.isSign('.')
        || before.is("INTO")
        || before.is("UPDATE")
        || before.is("TABLE")
        || before.is("IN")
        || before.is("REFERENCES")
        || before.is("USING");
  }

  private static boolean endsList(SqlToken token) {
    return token.is("SELECT")
        || token.is("VALUES")
        || token.is("WHERE")
        || token.is("GROUP")
        || token.is("HAVING")
        || token.is("ORDER")
        || token.is("LIMIT")
        || token.is("SET")
        || token.is("RETURNING");
  }

  public boolean isTable(int index) {
    return positions.get(index);
  }
}
