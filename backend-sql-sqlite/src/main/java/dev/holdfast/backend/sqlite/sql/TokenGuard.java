package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.HiddenNames;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import dev.holdfast.backend.sqlite.words.TablePositions;
import dev.holdfast.backend.sqlite.words.Verbs;
import java.util.List;
import java.util.Set;

/**
 * The first of two guards. It has one rule: what is not known is refused, before anything is
 * compiled, since SQLite acts while it compiles. So a statement has a known form from its first
 * token on, and what no program of SQLite shows is judged by its tokens. Which tables and functions
 * a statement uses is checked by {@link ProgramGuard}, which asks SQLite.
 *
 * <p>Where a definition is stored (CREATE, ALTER), the guard refuses every word, name or string
 * that begins with {@code _cf_}: definitions are resolved later, some of them by extensions of
 * SQLite that compile their own statements, which no program shows.
 */
final class TokenGuard {

  private static final Set<String> TRANSACTION_WORDS =
      Set.of("begin", "commit", "end", "rollback", "savepoint", "release");

  /** Modules of the library that are tables without having been created. */
  private static final Set<String> MODULES_OUT_OF_REACH =
      Set.of("dbstat", "fts3", "fts4", "fts4aux", "fts3tokenize");

  private TokenGuard() {}

  /**
   * Checks one statement.
   *
   * @throws SqlRefusedException if it may not be run
   */
  static void check(List<SqlToken> all, String sql) {
    int first = Verbs.firstWord(all);
    if (first >= all.size()) {
      throw SqlRefusedException.incomplete(sql);
    }
    List<SqlToken> tokens = all.subList(first, all.size());
    TablePositions tables = TablePositions.of(tokens);
    boolean isDefinition = isStrict(tokens.getFirst());
    boolean isStrict = isDefinition || usesPragma(tokens, tables);
    // The arguments of a module name tables in strings, at any position.
    boolean isModule =
        tokens.size() > 1 && tokens.getFirst().is("CREATE") && tokens.get(1).is("VIRTUAL");
    for (int index = 0; index < tokens.size(); index++) {
      SqlToken token = tokens.get(index);
      if (token.mayBeName()) {
        boolean isPattern = !isDefinition && isPattern(tokens, index);
        checkName(token, isStrict && !isPattern, isModule || tables.isTable(index));
      }
      checkConflictResolution(tokens, index);
    }
    checkForm(tokens, sql);
    FunctionCalls.check(tokens, tables);
    RankRules.check(tokens);
  }

  /** Whether a statement stores a definition, or takes names that are not resolved as tables. */
  private static boolean isStrict(SqlToken verb) {
    return verb.is("CREATE")
        || verb.is("ALTER")
        || verb.is("DROP")
        || verb.is("REINDEX")
        || verb.is("ANALYZE")
        || verb.is("PRAGMA");
  }

  /** As in {@code name NOT LIKE '_cf_%'}, which leaves hidden tables out. */
  private static boolean isPattern(List<SqlToken> tokens, int index) {
    return tokens.get(index).kind() == SqlToken.Kind.STRING
        && index > 0
        && (tokens.get(index - 1).is("LIKE") || tokens.get(index - 1).is("GLOB"));
  }

  /** As tables, pragmas take the names of tables as strings. */
  private static boolean usesPragma(List<SqlToken> tokens, TablePositions tables) {
    for (int index = 0; index < tokens.size(); index++) {
      if (isName(tokens.get(index), tables.isTable(index))
          && PragmaRules.isFunction(tokens.get(index).text())) {
        return true;
      }
    }
    return false;
  }

  /** A string is a name where SQLite expects a table. */
  private static boolean isName(SqlToken token, boolean isTable) {
    return token.mayBeName() && (isTable || token.kind() != SqlToken.Kind.STRING);
  }

  private static void checkName(SqlToken token, boolean isStrict, boolean isTable) {
    String name = token.text();
    if (isStrict && HiddenNames.isHidden(name)) {
      throw SqlRefusedException.notAuthorized("access to " + name + " is prohibited");
    }
    if (!isName(token, isTable)) {
      return;
    }
    if (MODULES_OUT_OF_REACH.contains(token.lowerCase())) {
      throw SqlRefusedException.notAuthorizedBecause(
          "The table " + name + " is not available: it shows more than the object's database.");
    }
    if (PragmaRules.isFunction(name)) {
      PragmaRules.checkFunction(name);
    }
  }

  /** Such a conflict would end the transaction, which contains everything else the turn wrote. */
  private static void checkConflictResolution(List<SqlToken> tokens, int index) {
    if (index == 0 || !tokens.get(index).is("ROLLBACK")) {
      return;
    }
    SqlToken before = tokens.get(index - 1);
    if (before.is("OR") || before.is("CONFLICT") || before.isSign('(')) {
      throw ProgramGuard.endsTransaction();
    }
  }

  private static void checkForm(List<SqlToken> tokens, String sql) {
    SqlToken verb = tokens.getFirst();
    if (verb.kind() != SqlToken.Kind.WORD) {
      throw SqlRefusedException.unexpected(verb.written());
    }
    String word = verb.lowerCase();
    if (TRANSACTION_WORDS.contains(word)) {
      throw SqlRefusedException.error(
          "To execute a transaction, please use ObjectStorage.transaction() instead of the SQL"
              + " BEGIN TRANSACTION or SAVEPOINT statements. It rolls back on exceptions by itself"
              + " and works together with the one atomic batch of each turn.");
    }
    switch (word) {
      // Compiling one of these has no effect, whatever follows.
      case "select", "values", "with", "insert", "replace", "update", "delete" -> {}
      case "create", "alter", "drop", "analyze", "reindex" -> Definitions.check(tokens, sql);
      case "pragma" -> PragmaRules.check(tokens, sql);
      case "attach", "detach" ->
          throw SqlRefusedException.notAuthorizedBecause(
              "An object has one database; call another object, or pass its data, instead of "
                  + word
                  + ".");
      case "vacuum" ->
          throw SqlRefusedException.error("cannot VACUUM from within a transaction: SQLITE_ERROR");
      default -> throw SqlRefusedException.unexpected(verb.written());
    }
  }
}
