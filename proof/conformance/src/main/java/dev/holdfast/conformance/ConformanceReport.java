package dev.holdfast.conformance;

import dev.holdfast.conformance.Verdict.Outcome;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Prints the results of a run: a line for each area, followed by its differences from the
 * recordings.
 */
final class ConformanceReport {

  private static final int DIFFERENCES_SHOWN = 500;

  private final PrintStream out;

  ConformanceReport(PrintStream out) {
    this.out = out;
  }

  /** Prints the verdicts; the last line has the totals. */
  void print(List<Verdict> verdicts) {
    Map<String, List<Verdict>> areas =
        verdicts.stream()
            .collect(Collectors.groupingBy(Verdict::area, LinkedHashMap::new, Collectors.toList()));
    areas.forEach(this::printArea);
    out.println(totals(verdicts));
  }

  private void printArea(String area, List<Verdict> verdicts) {
    Map<String, List<Verdict>> engines =
        verdicts.stream()
            .collect(
                Collectors.groupingBy(Verdict::engine, LinkedHashMap::new, Collectors.toList()));
    String counts =
        engines.entrySet().stream()
            .map(engine -> engine.getKey() + ": " + totals(engine.getValue()))
            .collect(Collectors.joining("; "));
    out.printf("%-24s %s%n", area, counts);
    verdicts.stream()
        .filter(verdict -> verdict.outcome() == Outcome.SKIPPED)
        .forEach(this::printSkipped);
    verdicts.stream()
        .filter(verdict -> verdict.outcome() == Outcome.FAILED)
        .forEach(this::printFailure);
  }

  private void printSkipped(Verdict verdict) {
    String reasons = String.join(", ", verdict.reasons());
    out.println("  skipped " + verdict.engine() + ", " + verdict.name() + ": " + reasons);
    printDifferences(verdict.excused());
  }

  private void printFailure(Verdict verdict) {
    out.println("  FAILED " + verdict.engine() + ", " + verdict.name());
    printDifferences(verdict.differences());
  }

  private void printDifferences(List<Mismatch> differences) {
    differences.stream().limit(DIFFERENCES_SHOWN).forEach(this::printDifference);
    int more = differences.size() - DIFFERENCES_SHOWN;
    if (more > 0) {
      out.println("    and " + more + " more differences");
    }
  }

  private void printDifference(Mismatch difference) {
    Function<String, String> shown = Mismatch::shortened;
    out.println("    " + difference.where() + " " + shown.apply(difference.operation()));
    out.println("      expected " + shown.apply(difference.expected()));
    out.println("      actual   " + shown.apply(difference.actual()));
  }

  private static String totals(List<Verdict> verdicts) {
    return count(verdicts, Outcome.PASSED)
        + " passed, "
        + count(verdicts, Outcome.FAILED)
        + " failed, "
        + count(verdicts, Outcome.SKIPPED)
        + " skipped";
  }

  private static long count(List<Verdict> verdicts, Outcome outcome) {
    return verdicts.stream().filter(verdict -> verdict.outcome() == outcome).count();
  }
}
