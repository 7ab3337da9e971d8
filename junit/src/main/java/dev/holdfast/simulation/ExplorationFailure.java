package dev.holdfast.simulation;

import java.util.List;

/** A run of an {@link Explorer} failed. The message says how to run it again. */
public final class ExplorationFailure extends AssertionError {

  private static final long serialVersionUID = 1L;

  private final long seed;
  private final long step;

  ExplorationFailure(long seed, long step, List<String> steps, Throwable cause) {
    super(
        "The run with seed "
            + seed
            + (step == 0 ? " and no crash" : " and a crash at step " + step)
            + " fails: "
            + cause
            + "\nRun it again with replay("
            + seed
            + ", "
            + step
            + ", ...) or -D"
            + Explorer.ONLY_PROPERTY
            + "="
            + seed
            + ":"
            + step
            + ". The journal's steps:\n"
            + Explorer.numbered(steps),
        cause);
    this.seed = seed;
    this.step = step;
  }

  /** {@return the seed of the run} */
  public long seed() {
    return seed;
  }

  /** {@return the step of the crash; 0 for none} */
  public long step() {
    return step;
  }
}
