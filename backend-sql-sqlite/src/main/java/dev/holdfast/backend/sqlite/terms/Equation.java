package dev.holdfast.backend.sqlite.terms;

import dev.holdfast.backend.sqlite.words.SqlToken;
import java.util.List;

/**
 * An equation in a condition.
 *
 * @param from where it begins
 * @param sign its sign, or IN
 * @param to where it ends
 */
record Equation(int from, int sign, int to) {

  private static final int BRACKETS_MAX = 1_000;

  /**
   * Collects the expressions that are equal to a column, where all conditions must hold. If one is
   * constant, SQLite may replace the column in the other conditions, some of which are constant
   * then. So a term is repeated as often as the product of their lengths says.
   */
  static void addAll(Clauses text, int from, int to, int depth, List<Equation> found) {
    int begin = from;
    int end = to;
    while (begin < end
        && (isLeading(text.get(begin))
            || (text.get(begin).isSign('(') && text.end(begin) == end - 1))) {
      end -= text.get(begin).isSign('(') ? 1 : 0;
      begin++;
    }
    int equal = end;
    int part = begin;
    boolean hasCase = false;
    for (int index = begin; index < end; index++) {
      SqlToken token = text.get(index);
      hasCase |= token.is("CASE");
      // Where CASE ends is not known: its END may be a name.
      boolean isWithinCase = token.is("OR") && hasCase;
      if (token.is("OR") && !isWithinCase) {
        return;
      }
      if ((token.is("AND") || isWithinCase) && depth < BRACKETS_MAX) {
        addAll(text, part, index, depth + 1, found);
        part = index + 1;
      } else if (equal == end && (token.isEqualSign() || isInOne(text, index, end))) {
        equal = index;
      }
      index = text.skip(index);
    }
    if (part > begin) {
      addAll(text, part, end, depth + 1, found);
      return;
    }
    if (equal < end && (isColumn(text, begin, equal) || isColumn(text, equal + 1, end))) {
      found.add(new Equation(begin, equal, end));
    }
  }

  /** {@return whether IN and a list of one expression is here, which is an equation for SQLite} */
  private static boolean isInOne(Clauses text, int index, int end) {
    if (!text.get(index).is("IN") || index + 2 >= end || !text.get(index + 1).isSign('(')) {
      return false;
    }
    return !text.beginsSelect(index + 2)
        && text.firstComma(index + 2, text.end(index + 1)) == text.end(index + 1);
  }

  private static boolean isLeading(SqlToken token) {
    return token.is("WHERE") || token.is("ON") || token.is("HAVING");
  }

  static boolean isColumn(Clauses text, int from, int to) {
    for (int index = from; index < to; index++) {
      SqlToken token = text.get(index);
      boolean isPart =
          token.mayBeName() || token.isSign('(') || token.isSign(')') || token.isSign('.');
      if (!isPart) {
        return false;
      }
    }
    return from < to;
  }
}
