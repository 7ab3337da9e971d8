package dev.holdfast.benchmarks.openings;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.benchmarks.harness.FreshJvm;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.operate.inspect.InspectCommand;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A new process until its first write in an empty directory is durable, beside plain sqlite-jdbc
 * that creates a file: processor time and time from the start of {@code main}. Also with an AOT
 * cache of the JDK, and {@code inspect objects} of a stopped directory. The tick of the processor
 * time is 10 ms.
 */
public final class StartTopic implements Topic {

  /** A process takes half a second: many of them survive a busy moment. */
  private static final int PROCESSES_MIN = 11;

  private static final String PLAIN = "sqlite-jdbc, FULL";
  private static final String HOLDFAST = "Holdfast";
  private static final String CACHED = "Holdfast, AOT cache";
  private static final String INSPECT = "inspect objects";

  /** Begins the line of a measured process. */
  private static final String TAKEN = "taken ";

  /** What one process has taken. */
  private record Taken(double cpuMillis, double millis) {}

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    String jars = classPath(Files.createDirectories(directory));
    Path cache = directory.resolve("start.aot");
    run(jars, List.of("-XX:AOTCacheOutput=" + cache), HOLDFAST, directory.resolve("trained"));
    List<String> cached = List.of("-XX:AOTCache=" + cache, "-XX:AOTMode=on");
    Map<String, List<Taken>> all = new LinkedHashMap<>();
    for (int round = 0; round < Math.max(rounds.count(), PROCESSES_MIN); round++) {
      for (String side : List.of(PLAIN, HOLDFAST, CACHED)) {
        Path data = directory.resolve(side + round);
        List<String> options = side.equals(CACHED) ? cached : List.of();
        all.computeIfAbsent(side, name -> new ArrayList<>()).add(run(jars, options, side, data));
      }
      Path stopped = directory.resolve(HOLDFAST + round);
      all.computeIfAbsent(INSPECT, name -> new ArrayList<>())
          .add(run(jars, List.of(), INSPECT, stopped));
    }
    all.forEach(
        (side, taken) -> {
          report.observe(
              "start, " + side + ", ms of processor time",
              taken.stream().map(Taken::cpuMillis).toList());
          report.observe("start, " + side + ", ms", taken.stream().map(Taken::millis).toList());
        });
    List<Taken> plain = all.getOrDefault(PLAIN, List.of());
    report.judge(
        "start, processor time of Holdfast / plain sqlite-jdbc",
        ratio(all.getOrDefault(HOLDFAST, List.of()), plain));
    report.judge(
        "start, processor time of Holdfast, AOT cache / plain sqlite-jdbc",
        ratio(all.getOrDefault(CACHED, List.of()), plain));
    report.judge(
        "start, processor time of inspect objects / plain sqlite-jdbc",
        ratio(all.getOrDefault(INSPECT, List.of()), plain));
  }

  private static Spread ratio(List<Taken> ours, List<Taken> plain) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < ours.size(); i++) {
      ratios.add(ours.get(i).cpuMillis() / plain.get(i).cpuMillis());
    }
    return Spread.of(ratios);
  }

  private static Taken run(String classPath, List<String> options, String side, Path data)
      throws IOException, InterruptedException {
    String[] taken =
        FreshJvm.run(Starter.class, options, classPath, List.of(side, data.toString())).stream()
            .filter(line -> line.startsWith(TAKEN)) // the JVM and the verb print, too
            .findFirst()
            .orElseThrow()
            .substring(TAKEN.length())
            .split(" ", -1);
    return new Taken(Double.parseDouble(taken[0]), Double.parseDouble(taken[1]));
  }

  /** The class path of this process without directories, whose classes no cache takes. */
  private static String classPath(Path directory) throws IOException {
    Path own = directory.resolve("start.jar");
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(own))) {
      for (Class<?> each : List.of(Starter.class, Counter.class, CounterObject.class)) {
        String file = each.getName().replace('.', '/') + ".class";
        jar.putNextEntry(new JarEntry(file));
        try (InputStream bytes = ClassLoader.getSystemResourceAsStream(file)) {
          Objects.requireNonNull(bytes, file).transferTo(jar);
        }
      }
    }
    return Stream.concat(
            Stream.of(own.toString()),
            Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> entry.endsWith(".jar")))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The calls of the object. */
  interface Counter {
    int add(int number);
  }

  /** Has one value. */
  static final class CounterObject implements Counter {

    private final ObjectContext context;

    CounterObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public int add(int number) {
      int sum = context.storage().get("sum", Integer.class).orElse(0) + number;
      context.storage().put("sum", sum);
      return sum;
    }
  }

  /** The process that is measured: it prints what it has taken. */
  static final class Starter {

    private Starter() {}

    /** Takes a side and its directory. */
    public static void main(String[] arguments) throws Exception {
      long start = System.nanoTime();
      Path data = Path.of(arguments[1]);
      switch (arguments[0]) {
        case PLAIN -> {
          Files.createDirectories(data);
          try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data + "/db");
              Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = FULL");
            statement.execute("CREATE TABLE pairs (key TEXT PRIMARY KEY, value) WITHOUT ROWID");
            statement.execute("INSERT INTO pairs VALUES ('sum', 1)");
            print(start);
          }
        }
        case INSPECT -> {
          // The verb ends the process.
          Runtime.getRuntime().addShutdownHook(new Thread(() -> print(start)));
          InspectCommand.main(new String[] {"objects", "--data", data.toString()});
        }
        default -> {
          try (ObjectRuntime runtime =
              Holdfast.open(
                  data, open -> open.namespace("counters", Counter.class, CounterObject::new))) {
            runtime.namespace("counters", Counter.class).getByName("one").add(1);
            print(start);
          }
        }
      }
    }

    private static void print(long start) {
      long nanos = System.nanoTime() - start;
      Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElseThrow();
      System.out.println(TAKEN + cpu.toMillis() + " " + nanos / 1e6);
    }
  }
}
