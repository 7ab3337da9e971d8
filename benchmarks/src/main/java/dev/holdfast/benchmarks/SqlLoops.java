package dev.holdfast.benchmarks;

/** Runs statements in loops; each method is one turn. */
public interface SqlLoops {

  /**
   * Makes the table that is read.
   *
   * @param rows how many rows it has
   */
  void fill(int rows);

  /**
   * {@return the sum of what point selects have found}
   *
   * @param count how many
   */
  long select(int count);

  /**
   * {@return how many rows were inserted}
   *
   * @param count how many
   */
  long insert(int count);

  /** {@return the sum over all rows} */
  long scan();
}
