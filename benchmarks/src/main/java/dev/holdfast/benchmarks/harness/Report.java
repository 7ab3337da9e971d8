package dev.holdfast.benchmarks.harness;

import dev.holdfast.benchmarks.harness.Targets.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The measurements of a run, and their comparison with the targets. Owned by the thread that
 * measures.
 */
public final class Report {

  private final Targets targets;
  private final List<Row> rows = new ArrayList<>();
  private final List<Verdict> verdicts = new ArrayList<>();
  private final List<Raw> raw = new ArrayList<>();
  private final List<Observed> observed = new ArrayList<>();
  private final List<String> absent = new ArrayList<>();

  /**
   * Creates an empty report.
   *
   * @param targets the targets of {@link #judge(String, Spread)}
   */
  public Report(Targets targets) {
    this.targets = targets;
  }

  /** Where a figure must be beside its target. */
  public enum Goal {
    /** At least the target. */
    AT_LEAST,
    /** At most the target. */
    AT_MOST,
    /** Less than the target. */
    BELOW;

    boolean isMet(double value, double target) {
      return switch (this) {
        case AT_LEAST -> value >= target;
        case AT_MOST -> value <= target;
        case BELOW -> value < target;
      };
    }

    /** {@return the words before a target} */
    public String words() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
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
   * @param outcome what the median is worth
   * @param reason why a bound is accepted; empty without one
   */
  public record Verdict(
      String figure, Spread value, Goal goal, double target, Outcome outcome, String reason) {}

  /**
   * The rounds of one side, as they were measured.
   *
   * @param topic the topic
   * @param side the side
   * @param rounds in their order
   */
  public record Raw(String topic, String side, List<Measured> rounds) {}

  /**
   * A figure with each of its values.
   *
   * @param figure the name of the figure
   * @param value their spread
   * @param samples in their order
   */
  public record Observed(String figure, Spread value, List<Double> samples) {}

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
      raw.add(new Raw(topic, each.name(), each.rounds()));
      System.out.println(line(row));
    }
  }

  /** Adds a figure whose target is the topic's own, and prints it. */
  public void judge(String figure, Spread value, Goal goal, double target) {
    judge(value, new Target(figure, goal, target, 0, ""));
  }

  /** Adds a figure whose target is in {@link Targets}, and prints it. */
  public void judge(String figure, Spread value) {
    judge(value, targets.of(figure));
  }

  /** Adds a figure whose target is in {@link Targets}, with each of its values. */
  public void judge(String figure, List<Double> samples) {
    judge(figure, Spread.of(samples));
    observed.add(new Observed(figure, Spread.of(samples), List.copyOf(samples)));
  }

  /** Adds a figure that has no target, and prints it. */
  public void observe(String figure, List<Double> samples) {
    Observed seen = new Observed(figure, Spread.of(samples), List.copyOf(samples));
    observed.add(seen);
    System.out.println(line(seen));
  }

  /** Adds a peer that could not be had, and prints it. */
  public void absent(String what) {
    absent.add(what);
    System.out.println("Could not be had: " + what);
  }

  private void judge(Spread value, Target target) {
    Outcome outcome = target.judge(value.median());
    Verdict verdict =
        new Verdict(
            target.figure(), value, target.goal(), target.target(), outcome, target.reason());
    verdicts.add(verdict);
    System.out.println(line(verdict));
  }

  public List<Row> rows() {
    return List.copyOf(rows);
  }

  public List<Verdict> verdicts() {
    return List.copyOf(verdicts);
  }

  /** {@return the rounds of all sides} */
  public List<Raw> raw() {
    return List.copyOf(raw);
  }

  /** {@return the figures whose values are kept} */
  public List<Observed> observed() {
    return List.copyOf(observed);
  }

  /** {@return the peers that could not be had} */
  public List<String> absent() {
    return List.copyOf(absent);
  }

  /** {@return the tables, in Markdown} */
  public String markdown() {
    StringBuilder text = new StringBuilder();
    text.append("| Figure | median (min to max) | target | met |\n|---|---|---|---|\n");
    verdicts.forEach(each -> text.append(line(each)).append('\n'));
    absent.forEach(each -> text.append("Could not be had: ").append(each).append('\n'));
    text.append("\n| Topic | side | per second, median (min to max) | p50 µs | p99 µs |")
        .append(" CPU µs | syncs |\n|---|---|---|---|---|---|---|\n");
    rows.forEach(each -> text.append(line(each)).append('\n'));
    return text.toString();
  }

  /** {@return measurements as a row of a table} */
  public static String line(Row row) {
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

  /** {@return a figure without a target as a row of a table} */
  public static String line(Observed seen) {
    return "| %s | %s (%s to %s) | - | - |"
        .formatted(
            seen.figure(),
            rounded(seen.value().median()),
            rounded(seen.value().min()),
            rounded(seen.value().max()));
  }

  /** {@return a verdict as a row of a table} */
  public static String line(Verdict verdict) {
    return "| %s | %s (%s to %s) | %s %s | %s |"
        .formatted(
            verdict.figure(),
            rounded(verdict.value().median()),
            rounded(verdict.value().min()),
            rounded(verdict.value().max()),
            verdict.goal().words(),
            verdict.target() == 0 ? "0" : rounded(verdict.target()),
            switch (verdict.outcome()) {
              case MET -> "yes";
              case AT_BOUND -> "at its bound: " + verdict.reason();
              case MISSED -> "**no**";
            });
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
