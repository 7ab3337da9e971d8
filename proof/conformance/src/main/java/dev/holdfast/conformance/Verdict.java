package dev.holdfast.conformance;

import java.util.List;

/**
 * The result of one case on one engine.
 *
 * @param area the area
 * @param name the case
 * @param engine the engine
 * @param outcome the outcome
 * @param reasons why it was skipped
 * @param differences unintended differences
 * @param excused intended differences
 */
record Verdict(
    String area,
    String name,
    String engine,
    Outcome outcome,
    List<String> reasons,
    List<Mismatch> differences,
    List<Mismatch> excused) {

  enum Outcome {
    PASSED,
    FAILED,
    SKIPPED
  }

  static Verdict of(
      String area,
      String name,
      String engine,
      List<String> reasons,
      List<Mismatch> failures,
      List<Mismatch> excused) {
    Outcome outcome =
        !failures.isEmpty() ? Outcome.FAILED : reasons.isEmpty() ? Outcome.PASSED : Outcome.SKIPPED;
    List<String> each = reasons.stream().distinct().toList();
    return new Verdict(area, name, engine, outcome, each, failures, excused);
  }
}
