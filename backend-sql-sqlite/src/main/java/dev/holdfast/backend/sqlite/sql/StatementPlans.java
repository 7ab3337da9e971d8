package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.meter.ProgramMeter;
import dev.holdfast.backend.sqlite.program.Program;
import dev.holdfast.backend.sqlite.program.StatementCost;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The plans of statements on one connection. A plan is made once for a text, a schema, the
 * positions of switches and the values that SQLite compiles for, which takes 30 to 50 microseconds;
 * afterwards it is a map lookup.
 *
 * <p>Confined to the holder of the database.
 */
public final class StatementPlans {

  private static final String SCHEMA_VERSION = "PRAGMA main.schema_version";

  private final Schemas schemas;
  private final SqliteConnection connection;
  private final Supplier<String> switches;
  private @Nullable Schema schema;
  private long schemaVersion;
  private boolean versionInDoubt;

  /**
   * Creates the plans of a connection.
   *
   * @param schemas the schemas of all connections
   * @param connection the connection
   * @param switches returns the switches of the connection that are not in their usual position
   */
  public StatementPlans(Schemas schemas, SqliteConnection connection, Supplier<String> switches) {
    this.schemas = schemas;
    this.connection = connection;
    this.switches = switches;
  }

  /** Forgets the schema, because a statement or a rollback may have changed it. */
  public void schemaMayHaveChanged() {
    schema = null;
  }

  /** Records that the runtime may have created one of its tables. */
  public void hiddenTableMade() {
    versionInDoubt = true;
  }

  /**
   * {@return the current schema}
   *
   * @throws SqliteException if it cannot be read
   */
  public Schema schema() throws SqliteException {
    if (versionInDoubt && schemaVersion != askSchemaVersion()) {
      schemaMayHaveChanged();
    }
    versionInDoubt = false;
    Schema known = schema;
    if (known == null) {
      known = schemas.read(connection);
      schemaVersion = askSchemaVersion();
      schema = known;
    }
    return known;
  }

  /**
   * Returns the plan of a statement.
   *
   * @param statement the statement
   * @param termsMax how many terms it may have when its names are replaced by what they stand for
   * @param bindings its parameters; null for none
   * @return its plan
   * @throws SqlRefusedException if it may not be run
   * @throws SqliteException if it is not correct SQL
   */
  public StatementPlan of(
      SqlStatement statement, long termsMax, @Nullable Object @Nullable [] bindings)
      throws SqliteException {
    Schema now = schema();
    List<Object> values = now.planValues(statement, bindings);
    // The terms do not depend on values: any plan of the text has them.
    List<Object> key = values == null ? List.of() : values;
    StatementPlan known = now.plan(statement, switches.get(), key);
    // Before anything is compiled: nothing stops SQLite then.
    long terms = known == null ? now.terms(statement) : known.terms();
    requireFewTerms(terms, termsMax);
    if (known != null && values != null) {
      return known;
    }
    StatementPlan plan = make(statement, terms, bindings == null ? new Object[0] : bindings);
    now.remember(statement, switches.get(), key, plan);
    return plan;
  }

  private static void requireFewTerms(long terms, long max) {
    if (terms > max) {
      throw SqlRefusedException.error(
          "the statement has more than "
              + max
              + " terms when each column of its views and subqueries is replaced by its expression;"
              + " name long expressions less often, or see SqlLimits.expandedTermsMax");
    }
  }

  private StatementPlan make(SqlStatement statement, long terms, @Nullable Object[] bindings)
      throws SqliteException {
    return switch (statement.verb()) {
      case ROWS, SCHEMA, REINDEX, ALTER -> explained(statement, schema(), terms, bindings);
      // Compiling one of these already has effects; they are decided by their tokens alone.
      case PRAGMA -> StatementPlan.unmetered(statement.writes(), StatementCost.UNKNOWN, terms);
      case ANALYZE -> StatementPlan.unmetered(statement.writes(), StatementCost.OF_SCANS, terms);
    };
  }

  private StatementPlan explained(
      SqlStatement statement, Schema now, long terms, @Nullable Object[] bindings)
      throws SqliteException {
    ProgramGuard.checkChanged(statement.changedTable(), now);
    Program program = Program.of(connection, statement.explained(), bindings);
    ProgramGuard.check(program, now, statement.verb());
    if (program.usesVirtual()) {
      now.contentViews().check(connection, now);
    }
    if (statement.isExplain()) {
      return StatementPlan.unmetered(false, StatementCost.OF_SCANS, terms);
    }
    boolean writes = statement.writes() || program.writes();
    ProgramMeter meter = new ProgramMeter(program, now.partialIndexes(), writes);
    return StatementPlan.of(program, meter, writes, now.fullTextTables(statement), terms);
  }

  private long askSchemaVersion() throws SqliteException {
    return connection.integer(SCHEMA_VERSION);
  }
}
