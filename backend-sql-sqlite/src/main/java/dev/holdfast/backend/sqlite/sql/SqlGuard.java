package dev.holdfast.backend.sqlite.sql;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The first of two guards: refuses by words what no program of SQLite shows, and what must not even
 * be compiled. Which tables and functions a statement uses is for {@link ProgramGuard}, who asks
 * SQLite.
 *
 * <p>Where a definition is stored (CREATE, ALTER) it refuses every word, name or string that begins
 * with {@code _cf_}: definitions are resolved later, some of them by extensions of SQLite that
 * compile statements of their own, out of sight of everybody.
 */
final class SqlGuard {

  private static final Set<String> TRANSACTION_WORDS =
      Set.of("BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE");
  private static final Set<String> VIRTUAL_TABLE_MODULES =
      Set.of("fts5", "fts5vocab", "rtree", "rtree_i32");

  /** Modules of the library that are tables without having been created. */
  private static final Set<String> MODULES_OUT_OF_REACH =
      Set.of("dbstat", "fts3", "fts4", "fts4aux", "fts3tokenize");

  private SqlGuard() {}

  /**
   * Checks one statement.
   *
   * @throws SqlRefusedException if it may not be run
   */
  static void check(List<SqlToken> tokens, String sql) {
    int first = Verbs.firstWord(tokens);
    SqlToken verb = first < tokens.size() ? tokens.get(first) : tokens.getFirst();
    boolean isStrict = isStrict(verb) || usesPragma(tokens);
    for (int index = 0; index < tokens.size(); index++) {
      SqlToken token = tokens.get(index);
      if (token.mayBeName()) {
        checkName(token, isStrict);
      }
      checkConflictResolution(tokens, index);
    }
    checkVerb(tokens, first, sql);
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

  /** As tables, pragmas take the names of tables as strings. */
  private static boolean usesPragma(List<SqlToken> tokens) {
    return tokens.stream()
        .anyMatch(token -> token.mayBeName() && PragmaRules.isFunction(token.text()));
  }

  private static void checkName(SqlToken token, boolean isStrict) {
    String name = token.text();
    if (isStrict && HiddenNames.isHidden(name)) {
      throw SqlRefusedException.notAuthorized("access to " + name + " is prohibited");
    }
    if (token.kind() == SqlToken.Kind.STRING) {
      return;
    }
    if (MODULES_OUT_OF_REACH.contains(name.toLowerCase(Locale.ROOT))) {
      throw SqlRefusedException.notAuthorized("not authorized");
    }
    if (PragmaRules.isFunction(name)) {
      PragmaRules.checkFunction(name);
    }
  }

  /** Such a conflict would end the transaction that holds everything else the turn wrote. */
  private static void checkConflictResolution(List<SqlToken> tokens, int index) {
    if (index == 0 || !tokens.get(index).is("ROLLBACK")) {
      return;
    }
    SqlToken before = tokens.get(index - 1);
    if (before.is("OR") || before.is("CONFLICT") || before.isSign('(')) {
      throw ProgramGuard.endsTransaction();
    }
  }

  private static void checkVerb(List<SqlToken> tokens, int first, String sql) {
    if (first >= tokens.size() || tokens.get(first).kind() != SqlToken.Kind.WORD) {
      return;
    }
    String verb = tokens.get(first).upperCase();
    if (TRANSACTION_WORDS.contains(verb)) {
      throw SqlRefusedException.error(
          "To execute a transaction, please use ObjectStorage.transaction() instead of the SQL"
              + " BEGIN TRANSACTION or SAVEPOINT statements. It rolls back on exceptions by itself"
              + " and works together with the one atomic batch of each turn.");
    }
    switch (verb) {
      case "ATTACH", "DETACH" -> throw SqlRefusedException.notAuthorized("not authorized");
      case "VACUUM" ->
          throw SqlRefusedException.error("cannot VACUUM from within a transaction: SQLITE_ERROR");
      case "PRAGMA" -> PragmaRules.check(tokens, first + 1);
      case "CREATE" -> checkCreate(tokens, first + 1, sql);
      default -> {}
    }
  }

  private static void checkCreate(List<SqlToken> tokens, int next, String sql) {
    if (next >= tokens.size()) {
      return;
    }
    if (Verbs.isTemporary(tokens.get(next))) {
      throw SqlRefusedException.notAuthorized("not authorized");
    }
    if (tokens.get(next).is("VIRTUAL")) {
      checkVirtualTable(tokens, sql);
    }
  }

  /** The arguments of a module are a language of their own, with tables named in strings. */
  private static void checkVirtualTable(List<SqlToken> tokens, String sql) {
    if (HiddenNames.isMentionedIn(sql)) {
      throw SqlRefusedException.notAuthorized("access to a hidden table is prohibited");
    }
    for (int index = 0; index + 1 < tokens.size(); index++) {
      if (tokens.get(index).is("USING")) {
        String module = tokens.get(index + 1).text();
        if (!VIRTUAL_TABLE_MODULES.contains(module.toLowerCase(Locale.ROOT))) {
          throw SqlRefusedException.notAuthorized("not authorized");
        }
        return;
      }
    }
  }
}
