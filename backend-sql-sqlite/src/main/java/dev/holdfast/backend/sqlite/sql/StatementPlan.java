package dev.holdfast.backend.sqlite.sql;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteStatement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What SQLite makes of a statement that may be run, with one schema. Shared by all objects that
 * have it. Thread-safe.
 */
public final class StatementPlan {

  private final boolean writes;
  private final boolean hasOneRowAtMost;
  private final boolean readsVirtual;
  private final ProgramMeter meter;
  private final StatementCost cost;

  /** Of the first execution: asking for names costs as much as a search by key. */
  private volatile @Nullable List<String> columnNames;

  private StatementPlan(
      boolean writes,
      boolean hasOneRowAtMost,
      boolean readsVirtual,
      ProgramMeter meter,
      StatementCost cost) {
    this.writes = writes;
    this.hasOneRowAtMost = hasOneRowAtMost;
    this.readsVirtual = readsVirtual;
    this.meter = meter;
    this.cost = cost;
  }

  /** A plan of a statement that touches no row, or none that counts. */
  static StatementPlan unmetered(boolean writes) {
    return new StatementPlan(writes, false, false, ProgramMeter.NOTHING, StatementCost.UNKNOWN);
  }

  static StatementPlan of(Program program, boolean writes) {
    return new StatementPlan(
        writes,
        program.returnsOneRowAtMost(),
        program.main().stream().anyMatch(each -> each.opcode().equals("VOpen")),
        new ProgramMeter(program, writes),
        CostFinder.of(program));
  }

  /** {@return whether it may change the database} */
  public boolean writes() {
    return writes;
  }

  /** {@return whether a statement that stands on a row has no other: a step more would say so} */
  public boolean hasOneRowAtMost() {
    return hasOneRowAtMost;
  }

  /** {@return whether it reads a virtual table, or a function that is one} */
  public boolean readsVirtual() {
    return readsVirtual;
  }

  /** {@return what knows how many rows it reads and writes} */
  public ProgramMeter meter() {
    return meter;
  }

  /** {@return what it may cost} */
  public StatementCost cost() {
    return cost;
  }

  /**
   * Returns the names of the columns of its result.
   *
   * @param started the statement, after its first step, which compiles it anew if it has to
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
