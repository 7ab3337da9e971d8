package dev.holdfast.benchmarks.harness;

import java.nio.file.Path;

/** A question that a load driver answers. */
@FunctionalInterface
public interface Topic {

  /**
   * Measures and reports.
   *
   * @param rounds the number and duration of the rounds
   * @param directory an empty directory for data
   * @param report takes the figures
   * @throws Exception if anything fails; a run with a failure has no figures
   */
  void measure(Rounds rounds, Path directory, Report report) throws Exception;
}
