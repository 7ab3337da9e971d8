package dev.holdfast.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The measurements of a run, and their comparison with the targets. Owned by the thread that
 * measures.
 */
public final class Report {

  private final List<Row> rows = new ArrayList<>();
  private final List<Verdict> verdicts = new ArrayList<>();

  /** Whether a figure must be at least or at most its target. */
  public enum Goal {
    /** At least the target. */
    AT_LEAST,
    /** Less than the target. */
    BELOW
  }

  /**
   * One side of one comparison. Rates are per second, times in microseconds.
   *
   * @param topic the topic
   * @param side the side
   * @param perSecond operations per second
   * @param p50Micros median latency
   * @param p99Micros 99th percentile of the latency
   * @param cpuMicros processor time of an operation
   * @param syncs syncs of an operation
   */
  public record Row(
      String topic,
      String side,
      Spread perSecond,
      Spread p50Micros,
      Spread p99Micros,
      Spread cpuMicros,
      Spread syncs) {}

  /**
   * A figure that has a target.
   *
   * @param figure the name of the figure
   * @param value its value over the rounds
   * @param goal the direction
   * @param target the target
   * @param met whether the median meets the target
   */
  public record Verdict(String figure, Spread value, Goal goal, double target, boolean met) {}

  /** Adds measurements, and prints them, since a whole run takes minutes. */
  public void add(String topic, List<Series> all) {
    for (Series each : all) {
      Row row =
          new Row(
              topic,
              each.name(),
              each.of(Measured::perSecond),
              each.of(round -> round.p50Nanos() / 1e3),
              each.of(round -> round.p99Nanos() / 1e3),
              each.of(Measured::cpuMicrosPerOperation),
              each.of(Measured::syncsPerOperation));
      rows.add(row);
      System.out.println(line(row));
    }
  }

  /** Adds a figure that has a target, and prints it. */
  public void judge(String figure, Spread value, Goal goal, double target) {
    boolean met =
        switch (goal) {
          case AT_LEAST -> value.median() >= target;
          case BELOW -> value.median() < target;
        };
    Verdict verdict = new Verdict(figure, value, goal, target, met);
    verdicts.add(verdict);
    System.out.println(line(verdict));
  }

  public List<Row> rows() {
    return List.copyOf(rows);
  }

  public List<Verdict> verdicts() {
    return List.copyOf(verdicts);
  }

  /** {@return the tables, in Markdown} */
  public String markdown() {
    StringBuilder text = new StringBuilder();
    text.append("| Figure | median (min to max) | target | met |\n|---|---|---|---|\n");
    verdicts.forEach(each -> text.append(line(each)).append('\n'));
    text.append("\n| Topic | side | per second, median (min to max) | p50 µs | p99 µs |")
        .append(" CPU µs | syncs |\n|---|---|---|---|---|---|---|\n");
    rows.forEach(each -> text.append(line(each)).append('\n'));
    return text.toString();
  }

  private static String line(Row row) {
    return "| %s | %s | %s (%s to %s) | %s | %s | %s | %s |"
        .formatted(
            row.topic(),
            row.side(),
            rounded(row.perSecond().median()),
            rounded(row.perSecond().min()),
            rounded(row.perSecond().max()),
            rounded(row.p50Micros().median()),
            rounded(row.p99Micros().median()),
            rounded(row.cpuMicros().median()),
            rounded(row.syncs().median()));
  }

  private static String line(Verdict verdict) {
    return "| %s | %s (%s to %s) | %s %s | %s |"
        .formatted(
            verdict.figure(),
            rounded(verdict.value().median()),
            rounded(verdict.value().min()),
            rounded(verdict.value().max()),
            switch (verdict.goal()) {
              case AT_LEAST -> "at least";
              case BELOW -> "below";
            },
            rounded(verdict.target()),
            verdict.met() ? "yes" : "**no**");
  }

  /**
   * Three digits; a median of three rounds has no more. Zero stands for a value that was not
   * measured.
   */
  private static String rounded(double value) {
    if (Double.isNaN(value) || value == 0) {
      return "-";
    }
    return Math.abs(value) >= 100
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.3g", value)
            .replaceAll("(\\.\\d*?)0+$", "$1")
            .replaceAll("\\.$", "");
  }
}
