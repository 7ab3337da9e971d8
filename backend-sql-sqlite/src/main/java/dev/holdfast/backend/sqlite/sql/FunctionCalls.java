package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.Brackets;
import dev.holdfast.backend.sqlite.words.Keywords;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import dev.holdfast.backend.sqlite.words.TablePositions;
import java.util.List;

/**
 * Finds function calls in the tokens, before SQLite compiles anything: the library evaluates some
 * calls while it compiles, and a stored definition may be used where no program shows it.
 *
 * <p>A statement that is run is refused for a function that the library has and the list does not;
 * {@link ProgramGuard} checks all others. A definition is refused for any function outside the
 * list.
 */
final class FunctionCalls {

  private final List<SqlToken> tokens;
  private final TablePositions tables;
  private final int[] ends;
  private final boolean isDefinition;

  /** The depth of brackets at which columns are declared, whose types may have arguments; or -1. */
  private final int columnsDepth;

  private FunctionCalls(List<SqlToken> tokens, TablePositions tables) {
    this.tokens = tokens;
    this.tables = tables;
    this.ends = Brackets.ends(tokens);
    this.isDefinition = tokens.getFirst().is("CREATE") || tokens.getFirst().is("ALTER");
    this.columnsDepth = columnsDepth(tokens);
  }

  /**
   * Checks a statement, without EXPLAIN.
   *
   * @throws SqlRefusedException if it calls a function that it may not call
   */
  static void check(List<SqlToken> tokens, TablePositions tables) {
    // The brackets of these contain no expression, and their form was checked as a whole.
    boolean hasExpressions =
        !tokens.getFirst().is("PRAGMA")
            && !(tokens.getFirst().is("CREATE") && tokens.get(1).is("VIRTUAL"));
    if (hasExpressions) {
      new FunctionCalls(tokens, tables).check();
    }
  }

  private static int columnsDepth(List<SqlToken> tokens) {
    if (tokens.getFirst().is("ALTER")) {
      return 0;
    }
    boolean createsTable = tokens.getFirst().is("CREATE") && tokens.get(1).is("TABLE");
    if (!createsTable) {
      return -1;
    }
    int depth = 0;
    for (SqlToken token : tokens) {
      depth += step(token);
      if (depth == 0 && token.is("AS")) {
        return -1;
      }
    }
    return 1;
  }

  private static int step(SqlToken token) {
    return token.isSign('(') ? 1 : token.isSign(')') ? -1 : 0;
  }

  private void check() {
    int depth = 0;
    for (int index = 1; index + 1 < tokens.size(); index++) {
      SqlToken token = tokens.get(index);
      depth += step(token);
      boolean hasName =
          token.kind() == SqlToken.Kind.WORD || token.kind() == SqlToken.Kind.QUOTED_NAME;
      if (hasName
          && tokens.get(index + 1).isSign('(')
          && depth != columnsDepth
          && !Keywords.isKeyword(token)
          && !tables.isTable(index)
          && mayBeCall(index)) {
        AllowedFunctions.check(token.text(), isDefinition);
      }
    }
  }

  /** After a name it is the argument of a type, or the columns of something named. */
  private boolean mayBeCall(int index) {
    SqlToken before = tokens.get(index - 1);
    boolean followsName =
        before.kind() == SqlToken.Kind.QUOTED_NAME
            || (before.kind() == SqlToken.Kind.WORD && !Keywords.isKeyword(before));
    boolean isDeclared =
        before.is("AS")
            || before.is("VIEW")
            || before.is("EXISTS")
            || before.is("WITH")
            || before.is("RECURSIVE")
            || (before.is("ON") && isIndex());
    return !followsName && !isDeclared && !isCommonTable(index);
  }

  private boolean isIndex() {
    return tokens.getFirst().is("CREATE")
        && (tokens.get(1).is("INDEX") || tokens.get(1).is("UNIQUE"));
  }

  /** As in {@code WITH a(x) AS (SELECT 1), b(y) AS MATERIALIZED (SELECT 2)}. */
  private boolean isCommonTable(int name) {
    int end = ends[name + 1];
    if (end == 0 || end + 2 >= tokens.size() || !tokens.get(end + 1).is("AS")) {
      return false;
    }
    SqlToken next = tokens.get(end + 2);
    return next.isSign('(') || next.is("MATERIALIZED") || next.is("NOT");
  }
}
