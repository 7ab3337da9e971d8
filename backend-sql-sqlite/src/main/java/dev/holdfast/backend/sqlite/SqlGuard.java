package dev.holdfast.backend.sqlite;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Keeps statements of the application away from the hidden tables, from other files, and from the
 * transaction that belongs to the turn.
 *
 * <p>It looks at words alone, so it refuses more than it must: a string that begins with {@code
 * _cf_}, for example, because SQLite takes strings for names. Such a value can be bound.
 */
final class SqlGuard {

  private static final int SQLITE_ERROR = 1;
  private static final int SQLITE_AUTH = 23;

  private static final String HIDDEN_PREFIX = "_cf_";
  private static final String PRAGMA_FUNCTION_PREFIX = "pragma_";

  private static final Set<String> TRANSACTION_WORDS =
      Set.of("BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE");
  private static final Set<String> VIRTUAL_TABLE_MODULES =
      Set.of("fts5", "fts5vocab", "rtree", "rtree_i32");

  private static final Set<String> PRAGMAS_WITHOUT_ARGUMENT = Set.of("data_version", "page_size");
  private static final Set<String> PRAGMAS_OF_SWITCHES =
      Set.of(
          "case_sensitive_like",
          "foreign_keys",
          "defer_foreign_keys",
          "ignore_check_constraints",
          "legacy_alter_table",
          "recursive_triggers",
          "reverse_unordered_selects");
  private static final Set<String> PRAGMAS_OF_NAMES =
      Set.of(
          "foreign_key_list",
          "index_info",
          "index_list",
          "index_xinfo",
          "table_info",
          "table_xinfo",
          "foreign_key_check",
          "table_list",
          "quick_check");
  private static final String PRAGMA_THAT_ANALYSES = "optimize";

  private SqlGuard() {}

  /**
   * Checks one statement.
   *
   * @throws SqlRefusedException if it may not be run
   */
  static void check(List<SqlToken> tokens, String sql) {
    for (int index = 0; index < tokens.size(); index++) {
      checkName(tokens.get(index));
      checkSchema(tokens, index);
      checkConflictResolution(tokens, index);
    }
    int first = firstWord(tokens);
    if (first < tokens.size()) {
      checkVerb(tokens, first, sql);
    }
  }

  /** {@return whether a statement may change the database; true if in doubt} */
  static boolean mayWrite(List<SqlToken> tokens) {
    if (tokens.getFirst().is("EXPLAIN")) {
      return false;
    }
    SqlToken verb = mainVerb(tokens);
    if (verb.is("PRAGMA")) {
      String name = pragmaName(tokens, 1);
      boolean hasArgument = tokens.size() > pragmaNameIndex(tokens, 1) + 1;
      return name.equals(PRAGMA_THAT_ANALYSES)
          || (PRAGMAS_OF_SWITCHES.contains(name) && hasArgument);
    }
    return !verb.is("SELECT") && !verb.is("VALUES");
  }

  /** {@return whether a statement, or its beginning, creates a trigger} */
  static boolean createsTrigger(List<SqlToken> tokens) {
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

  private static void checkName(SqlToken token) {
    if (!token.mayBeName()) {
      return;
    }
    if (startsWith(token.text(), HIDDEN_PREFIX)) {
      throw refused("access to " + token.text() + " is prohibited");
    }
    if (token.kind() == SqlToken.Kind.STRING) {
      return;
    }
    if (token.text().equalsIgnoreCase("load_extension")) {
      throw refused("not authorized to use function: load_extension");
    }
    if (startsWith(token.text(), PRAGMA_FUNCTION_PREFIX)) {
      String name = token.text().substring(PRAGMA_FUNCTION_PREFIX.length());
      // As a function it writes statistics from within a SELECT, for which no transaction is begun:
      // SQLite would commit behind the turn's back, and the journal would not have it.
      if (name.equalsIgnoreCase(PRAGMA_THAT_ANALYSES)) {
        throw refused("not authorized");
      }
      checkPragma(name);
    }
  }

  private static void checkSchema(List<SqlToken> tokens, int index) {
    SqlToken token = tokens.get(index);
    boolean isQualifier = index + 1 < tokens.size() && tokens.get(index + 1).isSign('.');
    if (isQualifier && token.mayBeName() && token.text().equalsIgnoreCase("temp")) {
      throw refused("not authorized");
    }
  }

  /** Such a conflict would end the transaction that holds everything else the turn wrote. */
  private static void checkConflictResolution(List<SqlToken> tokens, int index) {
    if (index == 0 || !tokens.get(index).is("ROLLBACK")) {
      return;
    }
    SqlToken before = tokens.get(index - 1);
    if (before.is("OR") || before.is("CONFLICT") || before.isSign('(')) {
      throw refused("ROLLBACK would end the transaction of the turn; use ABORT");
    }
  }

  private static void checkVerb(List<SqlToken> tokens, int first, String sql) {
    SqlToken verb = tokens.get(first);
    if (verb.kind() != SqlToken.Kind.WORD) {
      return;
    }
    if (TRANSACTION_WORDS.contains(verb.upperCase())) {
      throw new SqlRefusedException(
          "To execute a transaction, please use ObjectStorage.transaction() instead of the SQL"
              + " BEGIN TRANSACTION or SAVEPOINT statements. It rolls back on exceptions by itself"
              + " and works together with the one atomic batch of each turn.",
          SQLITE_ERROR);
    }
    switch (verb.upperCase()) {
      case "ATTACH", "DETACH" -> throw refused("not authorized");
      case "VACUUM" ->
          throw new SqlRefusedException(
              "cannot VACUUM from within a transaction: SQLITE_ERROR", SQLITE_ERROR);
      case "PRAGMA" -> checkPragma(tokens, first + 1);
      case "CREATE" -> checkCreate(tokens, first + 1, sql);
      default -> {}
    }
  }

  private static void checkCreate(List<SqlToken> tokens, int next, String sql) {
    if (next >= tokens.size()) {
      return;
    }
    if (isTemporary(tokens.get(next))) {
      throw refused("not authorized");
    }
    if (tokens.get(next).is("VIRTUAL")) {
      checkVirtualTable(tokens, sql);
    }
  }

  /** The arguments of a module are a language of their own, with tables named in strings. */
  private static void checkVirtualTable(List<SqlToken> tokens, String sql) {
    if (sql.toLowerCase(Locale.ROOT).contains(HIDDEN_PREFIX)) {
      throw refused("access to a hidden table is prohibited");
    }
    for (int index = 0; index + 1 < tokens.size(); index++) {
      if (tokens.get(index).is("USING")) {
        String module = tokens.get(index + 1).text();
        if (!VIRTUAL_TABLE_MODULES.contains(module.toLowerCase(Locale.ROOT))) {
          throw refused("not authorized to use module: " + module);
        }
        return;
      }
    }
  }

  private static void checkPragma(List<SqlToken> tokens, int next) {
    String name = pragmaName(tokens, next);
    checkPragma(name);
    boolean hasArgument = tokens.size() > pragmaNameIndex(tokens, next) + 1;
    if (hasArgument && PRAGMAS_WITHOUT_ARGUMENT.contains(name)) {
      throw refused("not authorized");
    }
  }

  private static void checkPragma(String name) {
    boolean isAllowed =
        PRAGMAS_WITHOUT_ARGUMENT.contains(name)
            || PRAGMAS_OF_SWITCHES.contains(name)
            || PRAGMAS_OF_NAMES.contains(name)
            || name.equals(PRAGMA_THAT_ANALYSES);
    if (!isAllowed) {
      throw refused("not authorized");
    }
  }

  private static String pragmaName(List<SqlToken> tokens, int next) {
    int index = pragmaNameIndex(tokens, next);
    return index < tokens.size() ? tokens.get(index).text() : "";
  }

  private static int pragmaNameIndex(List<SqlToken> tokens, int next) {
    boolean isQualified = next + 1 < tokens.size() && tokens.get(next + 1).isSign('.');
    return isQualified ? next + 2 : next;
  }

  /**
   * {@return the word that says what the statement does; behind WITH, the first outside brackets}
   */
  private static SqlToken mainVerb(List<SqlToken> tokens) {
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

  /** {@return the index of the first word behind EXPLAIN [QUERY PLAN]} */
  private static int firstWord(List<SqlToken> tokens) {
    int at = 0;
    if (at < tokens.size() && tokens.get(at).is("EXPLAIN")) {
      at++;
      if (at + 1 < tokens.size() && tokens.get(at).is("QUERY") && tokens.get(at + 1).is("PLAN")) {
        at += 2;
      }
    }
    return at;
  }

  private static boolean isTemporary(SqlToken token) {
    return token.is("TEMP") || token.is("TEMPORARY");
  }

  private static boolean startsWith(String text, String prefix) {
    return text.regionMatches(true, 0, prefix, 0, prefix.length());
  }

  private static SqlRefusedException refused(String why) {
    return new SqlRefusedException(why + ": SQLITE_AUTH", SQLITE_AUTH);
  }
}
