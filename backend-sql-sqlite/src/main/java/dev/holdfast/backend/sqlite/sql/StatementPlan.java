package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import dev.holdfast.backend.sqlite.meter.ProgramMeter;
import dev.holdfast.backend.sqlite.meter.RowCounter;
import dev.holdfast.backend.sqlite.program.CostFinder;
import dev.holdfast.backend.sqlite.program.FullTextTables;
import dev.holdfast.backend.sqlite.program.Program;
import dev.holdfast.backend.sqlite.program.SearchCost;
import dev.holdfast.backend.sqlite.program.StatementCost;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plan of an allowed statement for one schema. Shared by all objects with that schema, unless
 * it has statistics. Thread-safe.
 */
public final class StatementPlan {

  private final boolean writes;
  private final boolean hasOneRowAtMost;
  private final boolean readsVirtual;
  private final boolean ranks;
  private final boolean usesVirtual;
  private final @Nullable ProgramMeter meter;
  private final StatementCost cost;
  private final SearchCost searches;
  private final long terms;

  /** Of the first execution: reading the names costs as much as a search by key. */
  private volatile @Nullable List<String> columnNames;

  private StatementPlan(
      boolean writes,
      @Nullable Program program,
      @Nullable ProgramMeter meter,
      StatementCost cost,
      SearchCost searches,
      long terms) {
    this.writes = writes;
    this.hasOneRowAtMost = program != null && program.returnsOneRowAtMost();
    this.readsVirtual =
        program != null && program.main().stream().anyMatch(each -> each.opcode().equals("VOpen"));
    this.ranks = program != null && ProgramGuard.ranks(program);
    this.usesVirtual = program != null && program.usesVirtual();
    this.meter = meter;
    this.cost = cost;
    this.searches = searches;
    this.terms = terms;
  }

  /** A plan of a statement that touches no row, or none that counts. */
  static StatementPlan unmetered(boolean writes, StatementCost cost, long terms) {
    return new StatementPlan(writes, null, null, cost, SearchCost.NONE, terms);
  }

  static StatementPlan of(
      Program program, ProgramMeter meter, boolean writes, FullTextTables tables, long terms) {
    return new StatementPlan(
        writes, program, meter, CostFinder.of(program), SearchCost.of(program, tables), terms);
  }

  /**
   * Checks that a statement neither ranks nor configures a full text table, which only migrations
   * may where the limits say so.
   *
   * @param statement the statement of this plan
   * @throws SqlRefusedException if it does
   */
  public void requireNoConfiguration(SqlStatement statement) {
    if (ranks || (usesVirtual && statement.mayConfigure())) {
      throw SqlRefusedException.notAuthorized(
          "full text tables take neither a rank nor a command here; see SqlLimits.schemaChanges");
    }
  }

  /** {@return how many terms it has when its names are replaced by what they stand for} */
  long terms() {
    return terms;
  }

  /** {@return whether it may change the database} */
  public boolean writes() {
    return writes;
  }

  /**
   * {@return whether a statement that stands on a row has no other row, so that no further step is
   * needed}
   */
  public boolean hasOneRowAtMost() {
    return hasOneRowAtMost;
  }

  /** {@return whether it reads a virtual table, or a table-valued function} */
  public boolean readsVirtual() {
    return readsVirtual;
  }

  /**
   * {@return a counter of the rows that an execution reads and writes}
   *
   * @param execution the execution
   * @param bindings its parameters; null for none
   */
  public RowCounter counter(
      RowCounter.Execution execution, @Nullable Object @Nullable [] bindings) {
    return meter == null ? RowCounter.NONE : meter.counter(execution, bindings);
  }

  /** {@return the longest interval between progress calls that counting allows, in instructions} */
  public int stepsBetweenMax() {
    return meter == null ? Integer.MAX_VALUE : meter.stepsBetweenMax();
  }

  /** {@return what it may cost} */
  public StatementCost cost() {
    return cost;
  }

  /** {@return what its searches in full-text tables may cost} */
  public SearchCost searches() {
    return searches;
  }

  /**
   * Returns the names of the columns of its result.
   *
   * @param started the statement, after its first step, which recompiles it if necessary
   * @return the names, duplicates kept
   * @throws SqliteException if memory runs out
   */
  public List<String> columnNames(SqliteStatement started) throws SqliteException {
    List<String> known = columnNames;
    if (known == null) {
      known = started.columnNames();
      columnNames = known;
    }
    return known;
  }
}
