package dev.holdfast.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.holdfast.benchmarks.alarms.AlarmTopic;
import dev.holdfast.benchmarks.alarms.DueAlarmsInSqliteTopic;
import dev.holdfast.benchmarks.alarms.DueAlarmsTopic;
import dev.holdfast.benchmarks.alarms.PendingAlarmsTopic;
import dev.holdfast.benchmarks.alarms.SetAlarmTopic;
import dev.holdfast.benchmarks.all.AllCommand;
import dev.holdfast.benchmarks.all.DocsCommand;
import dev.holdfast.benchmarks.all.Suite;
import dev.holdfast.benchmarks.calls.CallTopic;
import dev.holdfast.benchmarks.calls.ChainTopic;
import dev.holdfast.benchmarks.calls.HotCallTopic;
import dev.holdfast.benchmarks.cluster.BareRatisTopic;
import dev.holdfast.benchmarks.cluster.CommitsTopic;
import dev.holdfast.benchmarks.cluster.DeadMemberTopic;
import dev.holdfast.benchmarks.cluster.GrowthTopic;
import dev.holdfast.benchmarks.cluster.IdleTopic;
import dev.holdfast.benchmarks.cluster.MovesTopic;
import dev.holdfast.benchmarks.cluster.ReadsTopic;
import dev.holdfast.benchmarks.cluster.ServersTopic;
import dev.holdfast.benchmarks.commits.CommitTopic;
import dev.holdfast.benchmarks.commits.TailTopic;
import dev.holdfast.benchmarks.commits.UndoTopic;
import dev.holdfast.benchmarks.compare.CompareCommand;
import dev.holdfast.benchmarks.console.ConsoleTopic;
import dev.holdfast.benchmarks.events.EventsTopic;
import dev.holdfast.benchmarks.harness.Machine;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Targets;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.http.DecisionTopic;
import dev.holdfast.benchmarks.http.HttpTopic;
import dev.holdfast.benchmarks.http.SiteTopic;
import dev.holdfast.benchmarks.kept.ArchiveTopic;
import dev.holdfast.benchmarks.kept.KeptTopic;
import dev.holdfast.benchmarks.keys.DurablePutTopic;
import dev.holdfast.benchmarks.keys.KeyValueTopic;
import dev.holdfast.benchmarks.keys.ListTopic;
import dev.holdfast.benchmarks.openings.ActivationTopic;
import dev.holdfast.benchmarks.openings.CapacityTopic;
import dev.holdfast.benchmarks.openings.ColdObjectsTopic;
import dev.holdfast.benchmarks.openings.NewObjectsTopic;
import dev.holdfast.benchmarks.openings.OpenMemoryTopic;
import dev.holdfast.benchmarks.openings.OpeningsTopic;
import dev.holdfast.benchmarks.openings.RecoveryTopic;
import dev.holdfast.benchmarks.openings.StartTopic;
import dev.holdfast.benchmarks.soak.SoakCommand;
import dev.holdfast.benchmarks.sql.RunawayTopic;
import dev.holdfast.benchmarks.sql.SqlTopic;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./holdfast bench}: runs load drivers, JMH benchmarks, or all recorded figures.
 *
 * <pre>
 * figures [--json FILE] [OPTIONS]   every topic, then the tables
 * TOPIC [OPTIONS]                   one topic, the same way
 * all [--quick] [--results DIR]     all topics with targets, then compare; see {@link AllCommand}
 * cluster [--quick] [--results DIR] a cluster beside one machine and beside its peers
 * docs                              the newest results into docs/benchmarks.md
 * compare [--quick] [--results DIR] Holdfast and every peer in one run; see {@link CompareCommand}
 * soak --minutes N [--results DIR]  a steady load, and what rises; see {@link SoakCommand}
 * jmh [JMH options]                 the JMH benchmarks, such as: jmh HotCallBenchmark -f 1
 * OPTIONS: --rounds N, --round-millis N, --data DIR (on the disk to be measured)
 * </pre>
 */
public final class BenchmarkMain {

  private static final Map<String, Topic> TOPICS = topics();

  /** Kept: the log manager drops loggers that nothing refers to. */
  private static final List<Logger> LOGS =
      List.of(Logger.getLogger("dev.holdfast"), Logger.getLogger("org.apache.ratis"));

  private BenchmarkMain() {}

  /**
   * Runs the requested benchmarks.
   *
   * @param arguments see the class
   * @throws Exception if a benchmark fails
   */
  public static void main(String[] arguments) throws Exception {
    // Before the first class of a library that logs: slf4j-api would print that it has no provider,
    // which is intended.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    // Openings and closings would stand between the figures.
    LOGS.forEach(each -> each.setLevel(Level.WARNING));
    List<String> words = List.of(arguments);
    boolean isHelp = words.contains("--help") || words.contains("-h");
    if (words.isEmpty() || (isHelp && !words.getFirst().equals("jmh"))) {
      help();
      return;
    }
    List<String> rest = words.subList(1, words.size());
    String name = arguments[0];
    if (name.equals("jmh")) {
      org.openjdk.jmh.Main.main(rest.toArray(String[]::new));
      return;
    }
    if (name.equals("compare")) {
      System.exit(compare(rest));
    }
    if (name.equals("all")) {
      System.exit(all(Suite.ALL, rest));
    }
    if (name.equals("cluster")) {
      System.exit(all(Suite.CLUSTER, rest));
    }
    if (name.equals("docs")) {
      DocsCommand.run(Path.of(""));
      return;
    }
    if (name.equals("soak")) {
      System.exit(soak(rest));
    }
    if (!name.equals("figures") && !TOPICS.containsKey(name)) {
      fail(
          "Unknown benchmark \""
              + name
              + "\"; there are "
              + TOPICS.keySet()
              + ", figures, all, cluster, compare, soak, docs, jmh");
    }
    measure(name.equals("figures") ? List.copyOf(TOPICS.keySet()) : List.of(name), rest);
  }

  private static void help() {
    System.out.println(
        "Usage: holdfast bench TOPIC [--rounds N] [--round-millis N] [--data DIR] [--json FILE]");
    System.out.println(
        "       holdfast bench figures | all | cluster | compare | soak | docs | jmh [OPTIONS]");
    System.out.println(
        "Measures Holdfast. The topics are " + String.join(", ", TOPICS.keySet()) + ".");
    System.out.println();
    System.out.println("  figures                              All topics, with tables.");
    System.out.println("  all [--quick] [--results DIR]        What has targets, then compare.");
    System.out.println("  cluster [--quick] [--results DIR]    A cluster beside its peers.");
    System.out.println("  compare [--quick] [--results DIR]    Holdfast beside every peer.");
    System.out.println("  docs                                 The newest tables into the page.");
    System.out.println("  soak --minutes N [--results DIR]     A steady load, and what rises.");
    System.out.println(
        "  jmh [OPTIONS OF JMH]                 The small ones; jmh -h lists its options.");
  }

  private static Map<String, Topic> topics() {
    Map<String, Topic> topics = new LinkedHashMap<>();
    topics.put("hot-call", new HotCallTopic());
    topics.put("calls", new CallTopic());
    topics.put("commits", new CommitTopic());
    topics.put("durable-puts", new DurablePutTopic());
    topics.put("key-values", new KeyValueTopic());
    topics.put("lists", new ListTopic());
    topics.put("tail", new TailTopic());
    topics.put("chain", new ChainTopic());
    topics.put("activation", new ActivationTopic());
    topics.put("new-objects", new NewObjectsTopic());
    topics.put("cold-objects", new ColdObjectsTopic());
    topics.put("start", new StartTopic());
    topics.put("open-memory", new OpenMemoryTopic());
    topics.put("capacity", new CapacityTopic());
    topics.put("openings", new OpeningsTopic());
    topics.put("kept", new KeptTopic());
    topics.put("console", new ConsoleTopic());
    topics.put("archive", new ArchiveTopic());
    topics.put("undo", new UndoTopic());
    topics.put("recovery", new RecoveryTopic());
    topics.put("events", new EventsTopic());
    topics.put("sql", new SqlTopic());
    topics.put("runaways", new RunawayTopic());
    topics.put("set-alarm", new SetAlarmTopic());
    topics.put("alarms", new AlarmTopic());
    topics.put("due-alarms", new DueAlarmsTopic());
    topics.put("due-alarms-sqlite", new DueAlarmsInSqliteTopic());
    topics.put("pending-alarms", new PendingAlarmsTopic());
    topics.put("cluster-commits", new CommitsTopic());
    topics.put("cluster-ratis", new BareRatisTopic());
    topics.put("cluster-servers", new ServersTopic());
    topics.put("cluster-reads", new ReadsTopic());
    topics.put("cluster-idle", new IdleTopic());
    topics.put("cluster-dead", new DeadMemberTopic());
    topics.put("cluster-moves", new MovesTopic());
    topics.put("cluster-growth", new GrowthTopic());
    topics.put("http", new HttpTopic());
    topics.put("decisions", new DecisionTopic());
    topics.put("site", new SiteTopic());
    return topics;
  }

  private static void measure(List<String> names, List<String> options) throws Exception {
    Settings settings = Settings.parse(options);
    Files.createDirectories(settings.data());
    Path directory = Files.createTempDirectory(settings.data().toAbsolutePath(), "bench-");
    // PostgreSQL runs as another user if this one is root, and has to find its own directory.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    try {
      Report report = new Report(Targets.read(Targets.FILE));
      Machine machine = Machine.current(directory);
      System.out.println(machine);
      for (String name : names) {
        Topic topic = TOPICS.get(name);
        if (topic != null) {
          topic.measure(settings.rounds(), directory.resolve(name), report);
        }
      }
      System.out.println();
      System.out.println(report.markdown());
      if (settings.json() != null) {
        write(settings.json(), machine, report);
      }
    } finally {
      FileTree.delete(new FileDisk(), directory);
    }
  }

  private static QuickOptions quickOptions(List<String> options) {
    boolean quick = false;
    Path results = null;
    for (int i = 0; i < options.size(); i++) {
      if (options.get(i).equals("--quick")) {
        quick = true;
      } else if (options.get(i).equals("--results") && i + 1 < options.size()) {
        results = Path.of(options.get(++i));
      } else {
        fail("Not an option: " + options.get(i) + "; there are --quick and --results DIR");
      }
    }
    return new QuickOptions(quick, results);
  }

  private record QuickOptions(boolean quick, @Nullable Path results) {}

  private static int all(Suite suite, List<String> arguments) throws Exception {
    QuickOptions options = quickOptions(arguments);
    Path data = Settings.parse(List.of()).data();
    Files.createDirectories(data);
    return AllCommand.run(
        BenchmarkMain.class, suite, options.quick(), options.results(), Machine.current(data));
  }

  private static int compare(List<String> arguments) throws Exception {
    QuickOptions options = quickOptions(arguments);
    Path directory = dataDirectory("compare-");
    // PostgreSQL runs as another user if this one is root, and has to find its own directory.
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    try {
      return CompareCommand.run(
          new CompareCommand.Options(options.quick(), options.results()),
          directory,
          Machine.current(directory));
    } finally {
      FileTree.delete(new FileDisk(), directory);
    }
  }

  private static int soak(List<String> options) throws Exception {
    int minutes = 0;
    Path results = null;
    for (int i = 0; i + 1 < options.size(); i += 2) {
      switch (options.get(i)) {
        case "--minutes" ->
            minutes =
                options.get(i + 1).matches("\\d{1,4}") ? Integer.parseInt(options.get(i + 1)) : 0;
        case "--results" -> results = Path.of(options.get(i + 1));
        default -> fail("Not an option: " + options.get(i) + "; there are --minutes and --results");
      }
    }
    if (minutes < 1 || options.size() % 2 != 0) {
      fail("Say how long: soak --minutes N [--results DIR], with N from 1 to 9999");
    }
    Path directory = dataDirectory("soak-");
    try {
      return SoakCommand.run(minutes, results, directory, Machine.current(directory));
    } finally {
      FileTree.delete(new FileDisk(), directory);
    }
  }

  private static Path dataDirectory(String prefix) throws IOException {
    Path data = Settings.parse(List.of()).data();
    Files.createDirectories(data);
    return Files.createTempDirectory(data.toAbsolutePath(), prefix);
  }

  private static void write(Path file, Machine machine, Report report) throws IOException {
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(
            file.toFile(),
            Map.of(
                "machine",
                machine,
                "figures",
                report.verdicts(),
                "measured",
                report.rows(),
                "rounds",
                report.raw(),
                "observed",
                report.observed(),
                "absent",
                report.absent()));
  }

  private static void fail(String message) {
    System.err.println("bench: " + message);
    System.exit(2);
  }

  private record Settings(Rounds rounds, Path data, @Nullable Path json) {

    static Settings parse(List<String> options) {
      Map<String, String> given = new LinkedHashMap<>();
      List<String> known = List.of("--rounds", "--round-millis", "--data", "--json");
      for (int i = 0; i < options.size(); i += 2) {
        if (!known.contains(options.get(i)) || i + 1 == options.size()) {
          fail("Not an option with a value: " + options.get(i) + "; there are " + known);
        }
        given.put(options.get(i), options.get(i + 1));
      }
      Rounds recorded = Rounds.RECORDED;
      String json = given.get("--json");
      return new Settings(
          new Rounds(
              Integer.parseInt(given.getOrDefault("--rounds", "" + recorded.count())),
              Duration.ofMillis(
                  Long.parseLong(
                      given.getOrDefault("--round-millis", "" + recorded.duration().toMillis())))),
          // Not the temporary directory: on many machines that is memory, where a sync is free.
          Path.of(
              given.getOrDefault(
                  "--data", System.getProperty("holdfast.bench.data", "benchmarks/target/data"))),
          json == null ? null : Path.of(json));
    }
  }
}
