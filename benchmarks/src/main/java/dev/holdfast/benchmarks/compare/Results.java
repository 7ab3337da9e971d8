package dev.holdfast.benchmarks.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.holdfast.benchmarks.compare.Comparison.Latencies;
import dev.holdfast.benchmarks.compare.Comparison.Row;
import dev.holdfast.benchmarks.compare.Peer.Place;
import dev.holdfast.benchmarks.harness.Machine;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Spread;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.HistogramLogWriter;

/** Writes what a comparison has found: raw latencies, numbers, plots, and a page about them. */
final class Results {

  private final Machine machine;
  private final boolean quick;
  private final Duration took;

  /**
   * @param took from the moment at which all peers were there
   */
  Results(Machine machine, boolean quick, Duration took) {
    this.machine = machine;
    this.quick = quick;
    this.took = took;
  }

  void write(Path directory, Comparison comparison, List<Row> rows, List<String> absent)
      throws IOException {
    Files.createDirectories(directory);
    for (Workload workload : Workload.values()) {
      String name = workload.name().toLowerCase(Locale.ROOT).replace('_', '-');
      writeLatencies(directory.resolve(name + ".hlog"), workload, comparison.latencies());
      List<Row> own = rows.stream().filter(row -> row.workload() == workload).toList();
      Files.writeString(directory.resolve(name + ".svg"), Plot.of(workload, own));
    }
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(
            directory.resolve("results.json").toFile(),
            Map.of("machine", machine, "rows", rows, "absent", absent));
    Files.writeString(directory.resolve("README.md"), page(rows, absent));
  }

  private static void writeLatencies(Path file, Workload workload, List<Latencies> all)
      throws IOException {
    try (PrintStream out = new PrintStream(file.toFile(), StandardCharsets.UTF_8)) {
      HistogramLogWriter log = new HistogramLogWriter(out);
      log.outputLogFormatVersion();
      log.outputLegend();
      for (Latencies each : all) {
        if (each.workload() == workload) {
          each.histogram().setTag(each.peer().replace(", ", "-").replace(' ', '-'));
          // There is no time of day in it: a round's number stands for its begin.
          log.outputIntervalHistogram(each.round(), each.round() + 1.0, each.histogram());
        }
      }
    }
  }

  private String page(List<Row> rows, List<String> absent) {
    StringBuilder page = new StringBuilder("# Holdfast beside its peers\n\n");
    page.append("    ./holdfast bench compare").append(quick ? " --quick" : "").append("\n\n");
    page.append("Commit ").append(machine.commit()).append(". ").append(machine.processor());
    page.append(", ").append(machine.processors()).append(" processors, ");
    page.append(machine.kernel()).append(", ").append(machine.fileSystem()).append(", ");
    page.append(machine.java()).append(' ').append(String.join(" ", machine.jvmArguments()));
    page.append(", load before the run ");
    page.append(String.format(Locale.ROOT, "%.2f", machine.loadBefore())).append(".\n");
    page.append("The run took ")
        .append(took.toSeconds())
        .append(" seconds with all peers fetched.\n");
    page.append(Workload.CALLERS)
        .append(" callers; medians of alternated rounds, with the least and the greatest; values")
        .append(" of 100 bytes. The processor time is the sum of callers and peer. The raw\n")
        .append("latencies of each round are in the `.hlog` files, a tag for each peer.\n");
    for (String line : table(rows, absent)) {
      page.append(line).append('\n');
    }
    page.append("\n## What is synced when\n\n");
    page.append("Counted with strace, for each write that one caller had acknowledged.\n\n");
    page.append("| Peer | Syncs | What it says |\n|---|---|---|\n");
    rows.stream()
        .filter(row -> row.workload() == Workload.PUT_ONE)
        .map(
            row ->
                "| %s | %s | %s |\n"
                    .formatted(
                        row.peer(),
                        row.syncs() < 0
                            ? "not counted"
                            : String.format(Locale.ROOT, "%.2f", row.syncs()),
                        row.durability()))
        .forEach(page::append);
    page.append("\n## Plots\n\n");
    for (Workload workload : Workload.values()) {
      String name = workload.name().toLowerCase(Locale.ROOT).replace('_', '-');
      page.append("![").append(workload.title()).append("](").append(name).append(".svg)\n");
    }
    return page.toString();
  }

  /** {@return the tables: peers that are durable in the same sense, and those that sync less} */
  static List<String> table(List<Row> rows, List<String> absent) {
    List<String> lines = new ArrayList<>();
    for (Place place : Place.values()) {
      lines.add("");
      lines.add(
          place == Place.IN_PROCESS
              ? "| In the caller's process | Peer | Per second | p50 us | p99 us | CPU us | Ratio |"
              : "| Over a socket | Peer | Per second | p50 us | p99 us | CPU us | Ratio |");
      lines.add("|---|---|---|---|---|---|---|");
      rows.stream()
          .filter(row -> row.place() == place && row.isDurable())
          .map(Results::line)
          .forEach(lines::add);
    }
    List<String> less = rows.stream().filter(row -> !row.isDurable()).map(Results::line).toList();
    if (!less.isEmpty()) {
      lines.add("");
      lines.add("| Synced less | Peer | Per second | p50 us | p99 us | CPU us | Ratio |");
      lines.add("|---|---|---|---|---|---|---|");
      lines.addAll(less);
    }
    absent.forEach(each -> lines.add("Could not be had: " + each));
    return lines;
  }

  /** {@return the rows that have a target, and what could not be had, in few lines} */
  static List<String> judged(List<Row> rows, List<Target> targets, List<String> absent) {
    List<String> lines = new ArrayList<>();
    lines.add("| Workload | Beside | Ratio |");
    lines.add("|---|---|---|");
    for (Target target : targets) {
      String ratio =
          rows.stream()
              .filter(row -> target.equals(row.target()) && row.ratio() != null)
              .map(Results::ratio)
              .findFirst()
              .orElse(target.side() + ": not measured");
      lines.add("| %s | %s | %s |".formatted(target.workload(), target.peer(), ratio));
    }
    if (!absent.isEmpty()) {
      lines.add("Could not be had: " + String.join("; ", absent).replace('\n', ' '));
    }
    return lines;
  }

  static String line(Row row) {
    Spread rate = row.series().of(Measured::perSecond);
    return "| %s | %s | %s (%s to %s) | %s | %s | %s | %s |"
        .formatted(
            row.workload().title(),
            row.peer(),
            rounded(rate.median()),
            rounded(rate.min()),
            rounded(rate.max()),
            rounded(row.series().of(round -> round.p50Nanos() / 1e3).median()),
            rounded(row.series().of(round -> round.p99Nanos() / 1e3).median()),
            rounded(row.series().of(round -> round.cpuNanos() / 1e3 / round.operations()).median()),
            ratio(row));
  }

  private static String ratio(Row row) {
    if (row.ratio() == null || row.target() == null || row.verdict() == null) {
      return "-";
    }
    String verdict =
        switch (row.verdict()) {
          case MET -> "met";
          case AT_BOUND -> "at its bound: " + row.target().reason();
          case MISSED -> "**missed**";
        };
    return "%s %s (%s to %s)%s, at least %s: %s"
        .formatted(
            row.target().side(),
            rounded(row.ratio().median()),
            rounded(row.ratio().min()),
            rounded(row.ratio().max()),
            row.isAgain() ? " the second time" : "",
            rounded(row.target().atLeast()),
            verdict);
  }

  /** Three digits: a median of a few rounds has no more. */
  static String rounded(double value) {
    return Math.abs(value) >= 100
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.3g", value)
            .replaceAll("(\\.\\d*?)0+$", "$1")
            .replaceAll("\\.$", "");
  }
}
