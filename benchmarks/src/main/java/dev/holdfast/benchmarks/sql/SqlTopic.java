package dev.holdfast.benchmarks.sql;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.benchmarks.harness.ClosedLoop;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.OneByOne;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.embedded.Holdfast;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Statements, compared with handwritten loops. Connections of objects: the first statement of one
 * whose connection is closed and that has 20 tables; the memory of an open one; and the number of
 * objects per second that pass through a connection cache with room for few of them.
 */
public final class SqlTopic implements Topic {

  private static final int TABLES = 20;
  private static final int OBJECTS = Integer.getInteger("holdfast.bench.sql.objects", 400);
  private static final int OPEN_FEW = 32;
  private static final int STATEMENTS = 1_000;
  private static final String QUERY = "SELECT count(*) AS n FROM t0 WHERE id = 1";
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

  /** An object with tables. */
  public interface Tables {

    /** Creates them. */
    void make();

    /** {@return how many rows a query by key finds} */
    long read();

    /** Changes a row. */
    void write(long value);
  }

  private static final class TablesObject implements Tables {

    private final ObjectContext context;

    TablesObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void make() {
      tables().forEach(sql -> context.storage().sql().exec(sql));
    }

    @Override
    public long read() {
      return context.storage().sql().exec(QUERY).one().getLong("n");
    }

    @Override
    public void write(long value) {
      context.storage().sql().exec("INSERT OR REPLACE INTO t0 VALUES (1, 'name', ?)", value);
    }
  }

  private static List<String> tables() {
    return java.util.stream.IntStream.range(0, TABLES)
        .mapToObj(
            i ->
                "CREATE TABLE t"
                    + i
                    + " (id INTEGER PRIMARY KEY, name TEXT, value);"
                    + " CREATE INDEX i"
                    + i
                    + " ON t"
                    + i
                    + " (name)")
        .toList();
  }

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    statements(rounds, directory, report);
    Path data = directory.resolve("data");
    try (ObjectRuntime runtime = open(data, OPEN_FEW)) {
      ObjectNamespace<Tables> objects = runtime.namespace("tables", Tables.class);
      for (int i = 0; i < OBJECTS; i++) {
        objects.getByName("o-" + i).make();
        objects.getByName("o-" + i).write(0);
      }
      Path plain = Files.createDirectory(directory.resolve("plain"));
      for (int i = 0; i < OBJECTS; i++) {
        makePlain(plain.resolve(i + ".db"));
      }
      // One after another, with more objects than open connections: none is in the cache when its
      // turn runs.
      report.add(
          "first read of an object with " + TABLES + " tables, its connection closed",
          rounds.interleave(
              List.of(
                  side("Holdfast", number -> require(objects.getByName("o-" + number).read())),
                  side(
                      "plain sqlite-jdbc, open and close",
                      number -> readPlain(plain.resolve(number + ".db"))))));
      report.add(
          OBJECTS + " objects through a cache of " + OPEN_FEW + " connections",
          rounds.interleave(
              List.of(
                  side("read", number -> require(objects.getByName("o-" + number).read())),
                  side("write", number -> objects.getByName("o-" + number).write(number)))));
    }
    memory(data);
  }

  /** The statements of {@link SqlBenchmark}, alternating with the handwritten loops. */
  private static void statements(Rounds rounds, Path directory, Report report) throws Exception {
    try (ObjectRuntime runtime =
            Holdfast.open(
                directory.resolve("loops"),
                objects -> objects.namespace("sql", SqlLoops.class, SqlLoopsObject::new));
        PlainLoops plain = new PlainLoops(directory.resolve("plain.db"))) {
      SqlLoops object = runtime.namespace("sql", SqlLoops.class).getByName("a");
      object.fill(SqlBenchmark.ROWS);
      compare(
          "point select by key",
          rounds,
          report,
          loop("Holdfast", STATEMENTS, () -> object.select(STATEMENTS)),
          loop("sqlite-jdbc by hand", STATEMENTS, () -> plain.select(STATEMENTS)));
      compare(
          "insert, 1,000 in one turn",
          rounds,
          report,
          loop("Holdfast", STATEMENTS, () -> object.insert(STATEMENTS)),
          loop("sqlite-jdbc by hand", STATEMENTS, () -> plain.insert(STATEMENTS)));
      compare(
          "row of a scan of 100,000",
          rounds,
          report,
          loop("Holdfast", SqlBenchmark.ROWS, object::scan),
          loop("sqlite-jdbc by hand", SqlBenchmark.ROWS, plain::scan));
      // The runtime counts once when a statement ends; the second side counts once more.
      report.add(
          "range of 10 rows, its rows counted",
          rounds.interleave(
              List.of(
                  loop("once", STATEMENTS, () -> object.ranges(STATEMENTS, false)),
                  loop("twice", STATEMENTS, () -> object.ranges(STATEMENTS, true)))));
    }
  }

  private static void compare(
      String title, Rounds rounds, Report report, Rounds.Side ours, Rounds.Side theirs)
      throws Exception {
    List<Series> all = rounds.interleave(List.of(ours, theirs));
    report.add(title, all);
    report.judge(
        title + ": Holdfast / by hand",
        all.get(0).rateRatio(all.get(1)),
        Report.Goal.AT_LEAST,
        0.9);
  }

  /** Many operations in one call, repeated. */
  private static Rounds.Side loop(String name, int operations, Callable<Long> call) {
    return new Rounds.Side() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Measured measure(Duration duration) throws Exception {
        long cpuBefore = ClosedLoop.processCpuNanos();
        long start = System.nanoTime();
        long done = 0;
        long elapsed = 0;
        while (elapsed < duration.toNanos()) {
          require(call.call() > 0 ? 1 : 0);
          done += operations;
          elapsed = System.nanoTime() - start;
        }
        long each = elapsed / done;
        return new Measured(done, elapsed, ClosedLoop.processCpuNanos() - cpuBefore, 0, each, each);
      }
    };
  }

  private static ObjectRuntime open(Path data, int connections) {
    return Holdfast.open(
        data,
        objects -> {
          objects.options(RuntimeOptions.DEFAULT.withOpenDatabasesMax(connections));
          objects.namespace("tables", Tables.class, TablesObject::new);
        });
  }

  private static Rounds.Side side(String name, OneByOne.Call call) {
    return new Rounds.Side() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Measured measure(Duration duration) throws Exception {
        return OneByOne.run(OBJECTS, call, () -> 0);
      }
    };
  }

  /**
   * What open connections add: in one runtime, before and after all but the first few are opened.
   * The few load the classes, fill the pools and make what connections share; two runtimes would
   * differ by more than that in what they still hold of their start.
   */
  private static void memory(Path data) throws IOException {
    try (ObjectRuntime runtime = open(data, OBJECTS + OPEN_FEW)) {
      ObjectNamespace<Tables> objects = runtime.namespace("tables", Tables.class);
      readAll(objects, 0, OPEN_FEW);
      Memory few = memory();
      readAll(objects, OPEN_FEW, OBJECTS);
      Memory all = memory();
      long opened = (long) OBJECTS - OPEN_FEW;
      System.out.printf(
          "a live object of %d tables with its open connection, mean of %d: heap %,d bytes,"
              + " resident memory of the process %,d bytes (not known outside of Linux)%n",
          TABLES,
          opened,
          (all.heapBytes - few.heapBytes) / opened,
          (all.residentBytes - few.residentBytes) / opened);
    }
  }

  private static void readAll(ObjectNamespace<Tables> objects, int from, int to) {
    for (int number = from; number < to; number++) {
      require(objects.getByName("o-" + number).read());
    }
  }

  private record Memory(long heapBytes, long residentBytes) {}

  private static Memory memory() throws IOException {
    return new Memory(heapBytes(), residentBytes());
  }

  private static long heapBytes() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long residentBytes() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.isReadable(status)) {
      return 0;
    }
    Matcher resident = RESIDENT.matcher(Files.readString(status));
    return resident.find() ? Long.parseLong(resident.group(1)) << 10 : 0;
  }

  private static void makePlain(Path file) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA journal_mode=WAL");
      statement.execute("PRAGMA synchronous=OFF");
      for (String sql : tables()) {
        statement.executeUpdate(sql);
      }
      statement.execute("INSERT INTO t0 VALUES (1, 'name', 0)");
    }
  }

  private static void readPlain(Path file) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(QUERY)) {
      require(rows.next() ? rows.getLong(1) : 0);
    }
  }

  /** A read that found nothing would look fast. */
  private static void require(long rows) {
    if (rows != 1) {
      throw new IllegalStateException("A wrong result was measured");
    }
  }
}
