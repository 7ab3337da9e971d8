package dev.holdfast.benchmarks.all;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.benchmarks.harness.FreshJvm;
import dev.holdfast.benchmarks.harness.Machine;
import dev.holdfast.benchmarks.harness.Outcome;
import dev.holdfast.benchmarks.harness.Report;
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
 * {@code ./holdfast bench all [--quick] [--results DIR]}: each topic whose targets are in {@code
 * benchmarks/targets.json}, in a JVM of its own, and then the comparison with all peers. A topic
 * that misses a target runs again, with five rounds, and the second run counts.
 *
 * <p>Exit codes: 0 all figures are met or at their bound; 1 one is missed twice, or a topic failed;
 * 2 wrong usage; 3 a peer could not be had.
 */
public final class AllCommand {

  /**
   * New objects first and openings last: a file system that has just deleted many files makes new
   * ones slowly.
   */
  static final List<String> TOPICS =
      List.of(
          "new-objects",
          "open-memory",
          "cold-objects",
          "commits",
          "tail",
          "due-alarms-sqlite",
          "openings");

  private static final int ROUNDS = 3;
  private static final int ROUNDS_AGAIN = 5;
  private static final int MILLIS = 1_200;
  private static final int MILLIS_QUICK = 500;

  private final Class<?> main;
  private final boolean quick;
  private final Path results;

  private AllCommand(Class<?> main, boolean quick, Path results) {
    this.main = main;
    this.quick = quick;
    this.results = results;
  }

  /**
   * Runs all.
   *
   * @param main the class that runs a topic
   * @param quick shorter rounds
   * @param results where the results go; null for a directory of this day
   * @param machine the machine
   * @return the exit code
   */
  public static int run(Class<?> main, boolean quick, @Nullable Path results, Machine machine)
      throws IOException, InterruptedException {
    Path target =
        results != null
            ? results
            : Path.of("benchmarks/results", LocalDate.now(ZoneId.systemDefault()) + "-judged");
    return new AllCommand(main, quick, target).run(machine);
  }

  private int run(Machine machine) throws IOException, InterruptedException {
    Files.createDirectories(results);
    List<Verdict> verdicts = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (String topic : TOPICS) {
      List<Verdict> own = topic(topic, ROUNDS, failures);
      if (own.stream().anyMatch(each -> each.outcome() == Outcome.MISSED)) {
        own = topic(topic, ROUNDS_AGAIN, failures);
      }
      verdicts.addAll(own);
      Files.writeString(results.resolve("README.md"), page(machine, verdicts, failures));
    }
    List<String> compare = new ArrayList<>(List.of("compare"));
    if (quick) {
      compare.add("--quick");
    }
    int code = child(compare);
    table(verdicts, failures).forEach(System.out::println);
    System.out.println("The comparison has ended with exit code " + code + "; its table is above.");
    System.out.println("The whole result is in " + results + ".");
    boolean missed = verdicts.stream().anyMatch(each -> each.outcome() == Outcome.MISSED);
    return missed || !failures.isEmpty() ? 1 : code;
  }

  private List<Verdict> topic(String name, int rounds, List<String> failures)
      throws IOException, InterruptedException {
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
      failures.add(name + " has failed with exit code " + code);
      return List.of();
    }
    return verdicts(json);
  }

  static List<Verdict> verdicts(Path json) throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode figures = mapper.readTree(Files.readString(json)).required("figures");
    return List.of(mapper.treeToValue(figures, Verdict[].class));
  }

  private int child(List<String> arguments) throws IOException, InterruptedException {
    List<String> options = new ArrayList<>();
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

  static List<String> table(List<Verdict> verdicts, List<String> failures) {
    List<String> lines = new ArrayList<>();
    lines.add("| Figure | Median (least to most) | Target | Met |");
    lines.add("|---|---|---|---|");
    verdicts.stream().map(Report::line).forEach(lines::add);
    failures.forEach(each -> lines.add("Failed: " + each));
    return lines;
  }

  private String page(Machine machine, List<Verdict> verdicts, List<String> failures) {
    StringBuilder page = new StringBuilder("# The figures that have targets\n\n");
    page.append("    ./holdfast bench all").append(quick ? " --quick" : "").append("\n\n");
    page.append(
        String.format(
            Locale.ROOT,
            "Commit %s. %s, %d processors, %s, %s, %s, load before the run %.2f.%n",
            machine.commit(),
            machine.processor(),
            machine.processors(),
            machine.kernel(),
            machine.fileSystem(),
            machine.java(),
            machine.loadBefore()));
    page.append("Raw numbers are in the files of the topics.\n\n");
    table(verdicts, failures).forEach(line -> page.append(line).append('\n'));
    return page.toString();
  }
}
