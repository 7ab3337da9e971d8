package dev.holdfast.benchmarks.all;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.benchmarks.harness.FreshJvm;
import dev.holdfast.benchmarks.harness.Machine;
import dev.holdfast.benchmarks.harness.Outcome;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Report.Observed;
import dev.holdfast.benchmarks.harness.Report.Row;
import dev.holdfast.benchmarks.harness.Report.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./holdfast bench all|cluster [--quick] [--results DIR]}: the topics of a {@link Suite},
 * each in a separate JVM. A topic of {@code all} that misses a target runs again, with five rounds,
 * and the second run counts; then comes the comparison with all peers.
 *
 * <p>Exit codes: 0 all figures are met or at their bound; 1 one is missed twice, or a topic failed;
 * 2 wrong usage; 3 a peer could not be had.
 */
public final class AllCommand {

  private static final int ROUNDS_QUICK = 3;
  private static final int MILLIS = 1_200;
  private static final int MILLIS_QUICK = 500;

  private final Class<?> main;
  private final Suite suite;
  private final boolean quick;
  private final Path results;
  private final boolean isNamed;

  private AllCommand(Class<?> main, Suite suite, boolean quick, @Nullable Path results) {
    this.main = main;
    this.suite = suite;
    this.quick = quick;
    this.isNamed = results != null;
    this.results =
        results != null
            ? results
            : Path.of(
                "benchmarks/results", LocalDate.now(ZoneId.systemDefault()) + "-" + suite.kind());
  }

  /**
   * Runs all.
   *
   * @param main the class that runs a topic
   * @param suite the topics
   * @param quick shorter rounds
   * @param results where the results go; null for a directory of this day
   * @param machine the machine
   * @return the exit code
   */
  public static int run(
      Class<?> main, Suite suite, boolean quick, @Nullable Path results, Machine machine)
      throws IOException, InterruptedException {
    return new AllCommand(main, suite, quick, results).run(machine);
  }

  /** What the topics have found. */
  private record Found(
      List<Verdict> verdicts,
      List<Observed> observed,
      List<Row> rows,
      List<String> absent,
      List<String> failures) {

    static Found nothing() {
      return new Found(
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>(),
          new ArrayList<>());
    }

    boolean isMissed() {
      return verdicts.stream().anyMatch(each -> each.outcome() == Outcome.MISSED);
    }

    void add(Found other) {
      verdicts.addAll(other.verdicts);
      observed.addAll(other.observed);
      rows.addAll(other.rows);
      absent.addAll(other.absent);
      failures.addAll(other.failures);
    }
  }

  private int run(Machine machine) throws IOException, InterruptedException {
    Files.createDirectories(results);
    Found all = Found.nothing();
    for (String topic : suite.topics()) {
      Found own = topic(topic, quick ? Math.min(ROUNDS_QUICK, suite.rounds()) : suite.rounds());
      if (own.isMissed() && suite.roundsAgain() > 0) {
        own = topic(topic, suite.roundsAgain());
      }
      all.add(own);
      Files.writeString(results.resolve("README.md"), page(machine, all));
    }
    int code = all.absent().isEmpty() ? 0 : 3;
    if (suite.equals(Suite.ALL)) {
      List<String> compare = new ArrayList<>(List.of("compare"));
      if (quick) {
        compare.add("--quick");
      }
      if (isNamed) {
        compare.addAll(List.of("--results", results.resolve("compare").toString()));
      }
      code = child(compare);
    }
    table(all).forEach(System.out::println);
    if (suite.equals(Suite.ALL)) {
      System.out.println(
          "The comparison has ended with exit code " + code + "; its table is above.");
    }
    System.out.println("The whole result is in " + results + ".");
    return exitCode(all.verdicts(), all.failures(), code);
  }

  /**
   * {@return the exit code}
   *
   * @param otherwise the exit code of what else ran
   */
  static int exitCode(List<Verdict> verdicts, List<String> failures, int otherwise) {
    boolean isMissed = verdicts.stream().anyMatch(each -> each.outcome() == Outcome.MISSED);
    return isMissed || !failures.isEmpty() ? 1 : otherwise;
  }

  private Found topic(String name, int rounds) throws IOException, InterruptedException {
    Path json = results.resolve(name + ".json");
    int code =
        child(
            List.of(
                name,
                "--rounds",
                "" + rounds,
                "--round-millis",
                "" + (quick ? MILLIS_QUICK : MILLIS),
                "--json",
                json.toString()));
    if (code != 0) {
      Found nothing = Found.nothing();
      nothing.failures().add(name + " has failed with exit code " + code);
      return nothing;
    }
    ObjectMapper mapper = new ObjectMapper();
    JsonNode found = mapper.readTree(Files.readString(json));
    return new Found(
        List.of(mapper.treeToValue(found.required("figures"), Verdict[].class)),
        List.of(mapper.treeToValue(found.required("observed"), Observed[].class)),
        List.of(mapper.treeToValue(found.required("measured"), Row[].class)),
        List.of(mapper.treeToValue(found.required("absent"), String[].class)),
        List.of());
  }

  private int child(List<String> arguments) throws IOException, InterruptedException {
    List<String> options = new ArrayList<>();
    if (!quick) {
      options.addAll(suite.options());
    }
    // Those that were given come last, and so count.
    System.getProperties()
        .forEach(
            (key, value) -> {
              if (key.toString().startsWith("holdfast.bench.")) {
                options.add("-D" + key + "=" + value);
              }
            });
    List<String> command = FreshJvm.command(main, options);
    command.addAll(arguments);
    return new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  private static List<String> table(Found found) {
    List<String> lines = new ArrayList<>();
    lines.add("| Figure | Median (least to most) | Target | Met |");
    lines.add("|---|---|---|---|");
    found.verdicts().stream().map(Report::line).forEach(lines::add);
    List<String> judged = found.verdicts().stream().map(Verdict::figure).toList();
    found.observed().stream()
        .filter(each -> !judged.contains(each.figure()))
        .map(Report::line)
        .forEach(lines::add);
    if (!found.absent().isEmpty()) {
      lines.add("");
      found.absent().forEach(each -> lines.add("Could not be had: " + each));
    }
    found.failures().forEach(each -> lines.add("Failed: " + each));
    return lines;
  }

  private String page(Machine machine, Found found) {
    StringBuilder page = new StringBuilder(suite.title()).append("\n\n");
    page.append("    ./holdfast bench ").append(suite.verb());
    page.append(quick ? " --quick" : "").append("\n\n");
    page.append(
        String.format(
            Locale.ROOT,
            "Commit %s. %s, %d processors, %s, %s, %s %s, load before the run %.2f.%n",
            machine.commit(),
            machine.processor(),
            machine.processors(),
            machine.kernel(),
            machine.fileSystem(),
            machine.java(),
            String.join(" ", machine.jvmArguments()),
            machine.loadBefore()));
    page.append("Raw numbers are in the files of the topics.\n\n");
    table(found).forEach(line -> page.append(line).append('\n'));
    if (!suite.about().isEmpty()) {
      page.append(
          "\n| Rows | Side | Per second (least to most) | p50 us | p99 us | CPU us | Syncs |\n");
      page.append("|---|---|---|---|---|---|---|\n");
      found.rows().forEach(row -> page.append(Report.line(row)).append('\n'));
      page.append('\n').append(suite.about());
    }
    return page.toString();
  }
}
