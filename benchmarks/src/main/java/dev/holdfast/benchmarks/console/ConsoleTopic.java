package dev.holdfast.benchmarks.console;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.harness.Report;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Spread;
import dev.holdfast.benchmarks.harness.Topic;
import dev.holdfast.benchmarks.objects.SleeperHost;
import dev.holdfast.console.ConsoleOptions;
import dev.holdfast.console.HoldfastConsole;
import dev.holdfast.embedded.Holdfast;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Pages of the console on a large runtime, from the request to the last byte of its answer, and the
 * processor time of an open overview. {@code -Dholdfast.bench.objects} sets how many objects there
 * are; one of 100 MB and one with 100,000 keys in each engine come to them.
 */
public final class ConsoleTopic implements Topic {

  private static final Logger LOG = Logger.getLogger("dev.holdfast");

  private static final int OBJECTS = Integer.getInteger("holdfast.bench.objects", 100_000);
  private static final int CALLERS = 64;
  private static final int LARGE_VALUE_BYTES = 100_000;
  private static final int LARGE_VALUES = 1_000;
  private static final int MANY_KEYS = 100_000;
  private static final int TURN_KEYS = 1_000;
  private static final int CHANGED_KEYS = 100;
  private static final int PAGES_MIN = 11;

  /** As the page asks. */
  private static final Duration POLL = Duration.ofSeconds(5);

  private static final int POLLS = 12;

  /** Half a day of an open page: what a young process compiles is work that comes once. */
  private static final int WARM_POLLS = 10_000;

  /** A storage engine and its figures. */
  private enum Engine {
    SQLITE(
        "console, SQLite, an object of 100 MB, ms",
        "console, SQLite, two moments of 100,000 keys, ms"),
    ROCKSDB(
        "console, RocksDB, an object of 100 MB, ms",
        "console, RocksDB, two moments of 100,000 keys, ms");

    private final String largeFigure;
    private final String momentsFigure;

    Engine(String largeFigure, String momentsFigure) {
      this.largeFigure = largeFigure;
      this.momentsFigure = momentsFigure;
    }

    StorageKind kind() {
      return this == SQLITE ? StorageKind.SQLITE : StorageKind.ROCKSDB;
    }

    String namespace() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public void measure(Rounds rounds, Path directory, Report report) throws Exception {
    LOG.setLevel(Level.WARNING);
    try (ObjectRuntime runtime =
            Holdfast.open(
                directory,
                objects -> {
                  for (Engine engine : Engine.values()) {
                    objects.namespace(
                        engine.namespace(),
                        Shelf.class,
                        ShelfObject::new,
                        NamespaceOptions.DEFAULT.withStorage(engine.kind()));
                  }
                });
        HoldfastConsole console =
            HoldfastConsole.start(
                runtime,
                ConsoleOptions.DEFAULT.withAddress(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))) {
      // A file each would measure the file system.
      SleeperHost.each(
          CALLERS, OBJECTS, number -> shelf(runtime, Engine.ROCKSDB, "o" + number).fill(0, 1, 10));
      Client client = new Client(console);
      int pages = Math.max(PAGES_MIN, rounds.count());
      page(
          report,
          "console, first page of the objects, ms",
          client,
          pages,
          "objects?namespace=" + Engine.ROCKSDB.namespace());
      for (Engine engine : Engine.values()) {
        pagesOf(report, runtime, client, pages, engine);
      }
      overview(report, client);
    }
  }

  private static void pagesOf(
      Report report, ObjectRuntime runtime, Client client, int pages, Engine engine)
      throws Exception {
    String namespace = engine.namespace();
    Shelf large = shelf(runtime, engine, "large");
    for (int key = 0; key < LARGE_VALUES; key += 10) {
      large.fill(key, 10, LARGE_VALUE_BYTES);
    }
    page(
        report,
        engine.largeFigure,
        client,
        pages,
        "object?namespace=" + namespace + "&object=large");
    Shelf many = shelf(runtime, engine, "many");
    for (int key = 0; key < MANY_KEYS; key += TURN_KEYS) {
      many.fill(key, TURN_KEYS, 10);
    }
    String before =
        runtime
            .recovery(namespace, runtime.namespace(namespace, Shelf.class).idFromName("many"))
            .history(1)
            .entries()
            .getFirst()
            .bookmark();
    many.fill(0, CHANGED_KEYS, 20);
    page(
        report,
        engine.momentsFigure,
        client,
        pages,
        "object/time?namespace="
            + namespace
            + "&object=many&state="
            + URLEncoder.encode(before, StandardCharsets.UTF_8));
  }

  private static Shelf shelf(ObjectRuntime runtime, Engine engine, String name) {
    return runtime.namespace(engine.namespace(), Shelf.class).getByName(name);
  }

  private static void page(Report report, String figure, Client client, int pages, String path)
      throws Exception {
    client.get(path); // the first one compiles
    List<Double> millis = new ArrayList<>();
    for (int each = 0; each < pages; each++) {
      long before = System.nanoTime();
      client.get(path);
      millis.add((System.nanoTime() - before) / 1e6);
    }
    report.judge(figure, Spread.of(millis));
  }

  /**
   * What an open overview asks for, in the rhythm of the page: what the process spends, without the
   * thread that asks. The sampler and whatever the engines do are in it.
   */
  private static void overview(Report report, Client client) throws Exception {
    for (int warm = 0; warm < WARM_POLLS; warm++) {
      poll(client);
    }
    long cpu = serverNanos();
    long before = System.nanoTime();
    for (int poll = 0; poll < POLLS; poll++) {
      poll(client);
      Thread.sleep(POLL);
    }
    double busy = (double) (serverNanos() - cpu) / (System.nanoTime() - before);
    report.judge("console, an open overview, % of a core", Spread.of(List.of(100 * busy)));
  }

  private static void poll(Client client) throws Exception {
    client.get("overview/live");
    client.get("statistics/samples?after=" + Long.MAX_VALUE);
  }

  /** {@return the processor time of everything but this thread} */
  private static long serverNanos() {
    long all =
        ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    return all - ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** A browser without scripts that has logged in. It works in the thread that asks only. */
  private static final class Client {

    private final URI address;
    private final String cookie;

    Client(HoldfastConsole console) throws Exception {
      address = console.address();
      HttpURLConnection login = connection("login");
      login.setInstanceFollowRedirects(false);
      login.setDoOutput(true);
      login
          .getOutputStream()
          .write(("token=" + console.newToken().orElseThrow()).getBytes(StandardCharsets.US_ASCII));
      cookie = login.getHeaderField("Set-Cookie").split(";", 2)[0];
    }

    private HttpURLConnection connection(String path) throws Exception {
      return (HttpURLConnection) address.resolve(path).toURL().openConnection();
    }

    void get(String path) throws Exception {
      HttpURLConnection asked = connection(path);
      asked.setRequestProperty("Cookie", cookie);
      if (asked.getResponseCode() != 200) {
        throw new IllegalStateException(path + ": " + asked.getResponseCode());
      }
      try (InputStream answer = asked.getInputStream()) {
        answer.readAllBytes();
      }
    }
  }
}
