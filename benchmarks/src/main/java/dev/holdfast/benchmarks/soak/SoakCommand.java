package dev.holdfast.benchmarks.soak;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.holdfast.benchmarks.harness.Machine;
import dev.holdfast.benchmarks.soak.Gauge.Trend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./holdfast bench soak --minutes N [--results DIR]}: a steady load on objects of both
 * engines, and whether memory, descriptors, threads, files or latencies rise. Before it, the same
 * load on 1, 10 and 100 times as many objects as the caches hold.
 *
 * <p>Exit codes: 0 all is flat; 1 something has risen beyond its bound; 2 wrong usage.
 */
public final class SoakCommand {

  private static final int[] GROWTH = {1, 10, 100};

  /** Parts of the run for each step of the growth, and samples of the steady rest. */
  private static final int GROWTH_PARTS = 15;

  private static final int SAMPLES = 60;

  /** The first samples are not judged: pools fill, logs reach their size, code is compiled. */
  private static final double SETTLING = 0.3;

  /** For the calls that were late because of the collection that a sample makes. */
  private static final Duration CATCHING_UP = Duration.ofMillis(300);

  /** Objects are filled beside the load, so its calls are late then: a call more is made up for. */
  private static final Duration MADE_UP = Duration.ofSeconds(1);

  private static final double ON_TIME = 1.02;

  private final Duration duration;
  private final Machine machine;
  private final Path results;

  private SoakCommand(Duration duration, Machine machine, Path results) {
    this.duration = duration;
    this.machine = machine;
    this.results = results;
  }

  /**
   * Runs the load.
   *
   * @param minutes how long; at least 1
   * @param results a directory for what was seen; null for one of this day
   * @param directory an empty directory for data
   * @param machine the machine
   * @return the exit code
   * @throws Exception if a call fails
   */
  public static int run(int minutes, @Nullable Path results, Path directory, Machine machine)
      throws Exception {
    Path target =
        results != null
            ? results
            : Path.of("benchmarks/results", LocalDate.now(ZoneId.systemDefault()) + "-soak");
    return new SoakCommand(Duration.ofMinutes(minutes), machine, target).run(directory);
  }

  private int run(Path directory) throws Exception {
    List<Sample> growth = new ArrayList<>();
    List<Sample> steady = new ArrayList<>();
    try (Load load = Load.open(directory)) {
      Probe probe = new Probe(directory);
      for (int times : GROWTH) {
        load.grow(times * Load.CACHED_OBJECTS);
        if (growth.isEmpty()) {
          load.start();
        }
        double rate;
        do {
          rate = sample(load, probe, CATCHING_UP, MADE_UP).rate();
        } while (rate > ON_TIME * Load.RATE); // late calls are still being made
        growth.add(sample(load, probe, CATCHING_UP, duration.dividedBy(GROWTH_PARTS)));
        System.out.printf("%d times the caches: %s%n", times, growth.getLast());
      }
      Duration rest = duration.multipliedBy(GROWTH_PARTS - GROWTH.length).dividedBy(GROWTH_PARTS);
      Probe of = new Probe(directory);
      for (int i = 0; i < SAMPLES; i++) {
        steady.add(sample(load, of, CATCHING_UP, rest.dividedBy(SAMPLES)));
      }
    }
    List<Sample> judged = steady.subList((int) (steady.size() * SETTLING), steady.size());
    List<Trend> trends = Arrays.stream(Gauge.values()).map(each -> each.trend(judged)).toList();
    List<String> table = table(trends);
    write(growth, steady, table);
    System.out.println("\nThe whole result is in " + results + ".");
    table.forEach(System.out::println);
    return trends.stream().allMatch(Trend::isFlat) ? 0 : 1;
  }

  private static Sample sample(Load load, Probe probe, Duration settling, Duration time)
      throws Exception {
    Thread.sleep(settling);
    load.takeLatencies();
    probe.begin();
    Thread.sleep(time.compareTo(settling) > 0 ? time.minus(settling) : time);
    return probe.take(load.takeLatencies());
  }

  static List<String> table(List<Trend> trends) {
    List<String> lines = new ArrayList<>();
    lines.add("| Gauge | Median | Rise | At most | |");
    lines.add("|---|---|---|---|---|");
    for (Trend each : trends) {
      lines.add(
          String.format(
              Locale.ROOT,
              "| %s | %,.1f | %,.1f | %,.1f | %s |",
              each.gauge().title(),
              each.median(),
              each.rise(),
              each.bound(),
              each.isFlat() ? "flat" : "**rises**"));
    }
    return lines;
  }

  private void write(List<Sample> growth, List<Sample> steady, List<String> table)
      throws IOException {
    Files.createDirectories(results);
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(
            results.resolve("samples.json").toFile(),
            Map.of("machine", machine, "growth", growth, "steady", steady));
    StringBuilder page = new StringBuilder("# A steady load for a long time\n\n");
    page.append("    ./holdfast bench soak --minutes ").append(duration.toMinutes()).append("\n\n");
    page.append(
        "Commit %s. %s, %d processors, %s, %s, %s %s, load before the run %.2f.%n"
            .formatted(
                machine.commit(),
                machine.processor(),
                machine.processors(),
                machine.kernel(),
                machine.fileSystem(),
                machine.java(),
                String.join(" ", machine.jvmArguments()),
                machine.loadBefore()));
    page.append(
        """
        %,d calls a second, each at its time whatever the others take: 45 %% reads, 40 %% puts, 10 %% rows, 5 %% alarms, now and then
        a deletion; half of the objects in SQLite, half in RocksDB. The caches hold %d objects.

        ## Steady, with 100 times as much data as the caches hold

        The rise follows the median slope over the judged samples (the last %.0f %%).

        """
            .formatted(Load.RATE, Load.CACHED_OBJECTS, 100 * (1 - SETTLING)));
    table.forEach(line -> page.append(line).append('\n'));
    page.append(
        "\n## Growth\n\n| Data | Calls a second | p50 us | p99 us | Heap MiB | Resident MiB |");
    page.append("\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < growth.size(); i++) {
      Sample each = growth.get(i);
      page.append(
          String.format(
              Locale.ROOT,
              "| %d times the caches | %,.0f | %,.0f | %,.0f | %,.1f | %,.1f |%n",
              GROWTH[i],
              each.rate(),
              each.p50Micros(),
              each.p99Micros(),
              each.heapMiB(),
              each.residentMiB()));
    }
    page.append("\n## Plots\n\n");
    for (Gauge each : Gauge.values()) {
      String file = each.name().toLowerCase(Locale.ROOT);
      plot(page, each, file, LinePlot.of(each, steady));
      plot(page, each, file + "-growth", LinePlot.ofGrowth(each, GROWTH, growth));
    }
    Files.writeString(results.resolve("README.md"), page);
  }

  private void plot(StringBuilder page, Gauge gauge, String name, String svg) throws IOException {
    Files.writeString(results.resolve(name + ".svg"), svg);
    page.append("![%s](%s.svg)%n".formatted(gauge.title(), name));
  }
}
