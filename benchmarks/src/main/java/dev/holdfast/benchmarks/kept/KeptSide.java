package dev.holdfast.benchmarks.kept;

import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Rounds;
import java.time.Duration;

/**
 * A side of a comparison.
 *
 * @param name its name
 * @param load what it measures
 */
record KeptSide(String name, Load load) implements Rounds.Side {

  /** A load for a time. */
  @FunctionalInterface
  interface Load {
    Measured run(Duration duration) throws Exception;
  }

  @Override
  public Measured measure(Duration duration) throws Exception {
    return load.run(duration);
  }
}
