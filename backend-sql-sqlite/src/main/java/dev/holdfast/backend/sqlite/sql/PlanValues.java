package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.SqlToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a statement whose values may change its program: SQLite compiles it again for
 * them. A pattern that begins with a text makes an index serve, a LIMIT decides whether an index or
 * a sort is cheaper, and a value may {@linkplain IndexedValues choose an index}. Immutable.
 *
 * @param hasAny whether there is a parameter
 * @param mayBePattern whether one of them may be a pattern of LIKE or GLOB
 * @param limits the indexes of those in LIMIT
 */
record PlanValues(boolean hasAny, boolean mayBePattern, Set<Integer> limits) {

  private static final int DIGITS_MAX = 8;

  static final PlanValues NONE = new PlanValues(false, false, Set.of());

  static PlanValues of(List<SqlToken> tokens) {
    Map<String, Integer> named = new HashMap<>();
    Set<Integer> limits = new HashSet<>();
    boolean hasPattern = false;
    boolean isInLimit = false;
    int depth = 0;
    int count = 0;
    for (SqlToken token : tokens) {
      if (token.kind() == SqlToken.Kind.PARAMETER) {
        int number = number(token.text(), count, named);
        count = Math.max(count, number);
        if (isInLimit) {
          limits.add(number - 1);
        }
      } else if (token.is("LIMIT")) {
        depth = isInLimit ? depth : 0; // of one within it, a bracket ends only that one
        isInLimit = true;
      } else if (isInLimit) {
        depth += token.isSign('(') ? 1 : token.isSign(')') ? -1 : 0;
        isInLimit = depth >= 0 && !(depth == 0 && endsLimit(token));
      }
      hasPattern |= token.lowerCase().equals("like") || token.lowerCase().equals("glob");
    }
    return count == 0 ? NONE : new PlanValues(true, hasPattern, Set.copyOf(limits));
  }

  private static boolean endsLimit(SqlToken token) {
    return token.is("OFFSET") || token.is("ON") || token.is("RETURNING");
  }

  /** {@return the number that SQLite gives a parameter, from 1} */
  private static int number(String text, int count, Map<String, Integer> named) {
    if (text.equals("?")) {
      return count + 1;
    }
    if (!text.startsWith("?")) {
      return named.computeIfAbsent(text, _ -> count + 1);
    }
    int begin = 1;
    while (begin < text.length() - 1 && text.charAt(begin) == '0') {
      begin++;
    }
    // SQLite refuses greater numbers.
    return text.length() - begin > DIGITS_MAX
        ? count
        : Integer.parseInt(text, begin, text.length(), 10);
  }

  /**
   * {@return the values that the program depends on, with their indexes; null if that is not known}
   *
   * @param bindings the values of the parameters
   * @param indexed the values that choose an index
   */
  @Nullable List<Object> of(@Nullable Object[] bindings, IndexedValues indexed) {
    if (!hasAny || (!mayBePattern && limits.isEmpty() && indexed.areNone())) {
      return List.of();
    }
    if (mayBePattern || indexed.areAny()) {
      return null;
    }
    List<Object> values = new ArrayList<>();
    for (int index = 0; index < bindings.length; index++) {
      Object value = bindings[index];
      if (value != null
          && ((limits.contains(index) && isCount(value)) || indexed.contains(value))) {
        values.add(index);
        values.add(value);
      }
    }
    return values;
  }

  /** Whether SQLite uses a LIMIT when it compiles: others are evaluated by the program. */
  private static boolean isCount(Object value) {
    return value instanceof Long number && number >= 0 && number <= Integer.MAX_VALUE;
  }
}
