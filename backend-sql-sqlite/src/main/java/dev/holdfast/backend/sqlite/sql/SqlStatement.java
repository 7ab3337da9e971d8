package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.backend.sqlite.words.SqlToken;
import dev.holdfast.backend.sqlite.words.SwitchSet;
import dev.holdfast.backend.sqlite.words.Verbs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement of a script.
 *
 * @param sql its text, with the semicolon if it has one
 * @param verb what it does
 * @param explained its text without EXPLAIN, whose program SQLite shows
 * @param writes whether it may change the database; true if in doubt
 * @param switchSet the switch of the connection that it sets when it is compiled, or null
 * @param changedTable in lower case, the table that gets an index or a trigger, or is altered; null
 *     if there is none
 * @param mayConfigure whether it configures a full text table, if it writes to one
 * @param planValues the parameters whose values may change its program
 */
public record SqlStatement(
    String sql,
    Verb verb,
    String explained,
    boolean writes,
    @Nullable SwitchSet switchSet,
    @Nullable String changedTable,
    boolean mayConfigure,
    PlanValues planValues) {

  /** What a statement does, as far as it matters here. */
  public enum Verb {
    /** Reads or changes rows. */
    ROWS,
    /** Creates or drops. */
    SCHEMA,
    /** Rebuilds indexes from the rows of their tables. */
    REINDEX,
    /** Changes a table; SQLite runs its own statements for it. */
    ALTER,
    /** Collects statistics. */
    ANALYZE,
    /** Reads or sets a property of the connection. */
    PRAGMA
  }

  /**
   * An object has one connection, so it is always the same. SQLite says 2 if the database is a file
   * with a log, as the reference has it, and 1 if it is in memory.
   */
  private static final String DATA_VERSION = "SELECT 2 AS data_version";

  /** Describes a statement that {@link TokenGuard} has accepted. */
  static SqlStatement of(List<SqlToken> tokens, String text) {
    int first = Verbs.firstWord(tokens);
    List<SqlToken> afterExplain = tokens.subList(first, tokens.size());
    String explained = text.substring(tokens.get(first).start() - tokens.getFirst().start());
    Verb verb = verb(Verbs.main(afterExplain));
    boolean isRun = first == 0;
    if (isRun && verb == Verb.PRAGMA && PragmaRules.asksDataVersion(afterExplain)) {
      return new SqlStatement(
          DATA_VERSION,
          Verb.ROWS,
          DATA_VERSION,
          false,
          null,
          null,
          /* mayConfigure= */ false,
          PlanValues.NONE);
    }
    boolean writes = isRun && mayWrite(afterExplain, verb);
    SwitchSet switchSet = verb == Verb.PRAGMA ? PragmaRules.switchSet(afterExplain) : null;
    String changed = Definitions.changedTable(afterExplain);
    boolean mayConfigure = RankRules.mayConfigure(afterExplain);
    return new SqlStatement(
        text,
        verb,
        explained,
        writes,
        switchSet,
        changed,
        mayConfigure,
        PlanValues.of(afterExplain));
  }

  private static Verb verb(SqlToken word) {
    return switch (word.lowerCase()) {
      case "create", "drop" -> Verb.SCHEMA;
      case "reindex" -> Verb.REINDEX;
      case "alter" -> Verb.ALTER;
      case "analyze" -> Verb.ANALYZE;
      case "pragma" -> Verb.PRAGMA;
      default -> Verb.ROWS;
    };
  }

  private static boolean mayWrite(List<SqlToken> tokens, Verb verb) {
    return switch (verb) {
      case SCHEMA, REINDEX, ALTER, ANALYZE -> true;
      case PRAGMA -> PragmaRules.mayWrite(tokens);
      case ROWS -> !Verbs.main(tokens).is("SELECT") && !Verbs.main(tokens).is("VALUES");
    };
  }

  /** {@return whether the tables may have changed after it has run} */
  public boolean changesSchema() {
    return writes && verb != Verb.ROWS && verb != Verb.PRAGMA;
  }

  /**
   * Checks that it changes neither tables nor statistics nor switches. Where the limits say so,
   * only migrations may change them. Nothing of it has been compiled.
   *
   * @throws SqlRefusedException if it may
   */
  public void requireNoSchemaChange() {
    boolean asksOnly = verb == Verb.PRAGMA && !writes && switchSet == null;
    if (verb != Verb.ROWS && !asksOnly) {
      throw SqlRefusedException.notAuthorized(
          "only migrations may change the schema, statistics and switches here; see"
              + " SqlLimits.schemaChanges");
    }
  }

  /** {@return whether it only shows how another statement would be run} */
  public boolean isExplain() {
    return sql.length() != explained.length();
  }

  /** {@return whether SQLite may collect statistics, hidden tables included} */
  public boolean analyzes() {
    return writes && (verb == Verb.ANALYZE || verb == Verb.PRAGMA);
  }
}
