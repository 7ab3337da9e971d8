package dev.holdfast.crash;

/** An object whose earlier states are remembered. */
public interface Past {

  /**
   * Takes the next step.
   *
   * @return the state after it
   */
  Mark step();

  /** {@return the present state} */
  Mark mark();

  /** {@return everything the object has stored} */
  Cell.Dump dump();

  /**
   * A state.
   *
   * @param seq the number of steps that led to it
   * @param bookmark names it
   */
  record Mark(long seq, String bookmark) {}
}
