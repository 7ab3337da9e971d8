package dev.holdfast.benchmarks.sql;

/** Runs statements in loops; each method is one turn. */
public interface SqlLoops {

  /**
   * Creates the table that is read.
   *
   * @param rows the number of its rows
   */
  void fill(int rows);

  /**
   * {@return the sum of the results of point selects}
   *
   * @param count the number of statements
   */
  long select(int count);

  /**
   * {@return the number of inserted rows}
   *
   * @param count the number of statements
   */
  long insert(int count);

  /**
   * {@return the sum over ranges of ten rows each}
   *
   * @param count the number of statements
   * @param counts whether to ask each statement how many rows it has read and written
   */
  long ranges(int count, boolean counts);

  /** {@return the sum over all rows} */
  long scan();
}
