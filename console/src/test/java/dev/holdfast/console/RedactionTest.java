package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.testkit.VirtualClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every address of a console that hides values, on objects that have one value everywhere. */
class RedactionTest {

  private static final String TOKEN = "operator-operator-operator";
  private static final String MARKER = "marker-of-a-value";

  /** As texts, as bytes in hexadecimal digits, and in addresses of further rows. */
  private static final List<String> MARKERS =
      List.of(
          MARKER,
          HexFormat.of().formatHex(MARKER.getBytes(StandardCharsets.UTF_8)),
          Base64.getUrlEncoder()
              .encodeToString("marker-of-a-val".getBytes(StandardCharsets.UTF_8)));

  private static final String OF_OBJECT = "namespace={namespace}&object=secret";

  /** What is asked at each address; a new address needs a line. */
  private static final Map<String, List<String>> QUERIES = new HashMap<>();

  static {
    for (String plain :
        List.of(
            "/",
            "/overview/live",
            "/activity",
            "/statistics",
            "/statistics/samples",
            "/cluster",
            "/cluster/live",
            "/events",
            "/archive",
            "/archive/live",
            "/journal/growth")) {
      QUERIES.put("GET " + plain, List.of(""));
    }
    QUERIES.put("GET /objects", List.of("", "namespace={namespace}", "namespace=none&prefix=m"));
    QUERIES.put("GET /object", List.of(OF_OBJECT, OF_OBJECT + "&prefix=k", OF_OBJECT + "none"));
    QUERIES.put("GET /object/key", List.of(OF_OBJECT + "&key=key", OF_OBJECT + "&key=none"));
    QUERIES.put("GET /object/value", List.of(OF_OBJECT + "&key=key"));
    QUERIES.put(
        "GET /object/table",
        List.of(
            OF_OBJECT + "&table=line",
            OF_OBJECT + "&table=pair",
            OF_OBJECT + "&table=pair&sort=a&order=descending",
            OF_OBJECT + "&table=pair&after=t.",
            OF_OBJECT + "&table=none"));
    QUERIES.put("GET /object/sql", List.of(OF_OBJECT));
    QUERIES.put(
        "POST /object/sql",
        List.of(OF_OBJECT + "&sql=SELECT * FROM pair", OF_OBJECT + "&sql=SELECT a+'x' FROM none"));
    QUERIES.put(
        "GET /object/running",
        List.of(
            OF_OBJECT, "namespace=notes&object=stuck", "namespace=notes&object=stuck&stack=on"));
    QUERIES.put(
        "GET /object/time",
        List.of(
            OF_OBJECT,
            OF_OBJECT + "&state={state}",
            OF_OBJECT + "&state={state}&other={newest}",
            OF_OBJECT + "&state=none"));
    QUERIES.put(
        "GET /object/at",
        List.of(
            OF_OBJECT + "&state={state}",
            OF_OBJECT + "&state={newest}",
            OF_OBJECT + "&state={newest}&table=pair",
            OF_OBJECT + "&state={newest}&table=pair&rows=t.",
            OF_OBJECT + "&state=none"));
    QUERIES.put("GET /object/restore", List.of(OF_OBJECT + "&state={state}"));
    QUERIES.put("GET /journal", List.of("", "newest=10", "newest=x"));
    List<String> positions = new ArrayList<>();
    for (int position = 1; position <= 40; position++) {
      positions.add("position=" + position);
    }
    QUERIES.put("GET /journal/commit", positions);
    QUERIES.put("GET /alarms", List.of("", "state=abandoned", "after=x"));
    String alarm = "&namespace={namespace}&object=secret&alarm=alarm";
    QUERIES.put("GET /alarms/act", List.of("action=rearm" + alarm, "action=discard" + alarm));
    QUERIES.put("POST /alarms/act", QUERIES.get("GET /alarms/act"));
    String consumer = "&topic=topic&consumer=index";
    QUERIES.put(
        "GET /events/act",
        List.of("action=oldest" + consumer, "action=remove" + consumer, "action=none" + consumer));
    QUERIES.put("POST /events/act", QUERIES.get("GET /events/act"));
    QUERIES.put("GET /archive/act", List.of("action=purge", "action=backup&to={directory}/copy"));
    QUERIES.put("POST /archive/act", QUERIES.get("GET /archive/act"));
    QUERIES.put("GET /cluster/move", List.of("shard=0&to=b"));
    QUERIES.put("POST /cluster/move", List.of("shard=0&to=b"));
    List<String> actions = new ArrayList<>();
    for (String action :
        List.of(
            "put&key=key&value=1",
            "put&key=key&value={",
            "exec&sql=UPDATE pair SET a=a RETURNING a",
            "exec&sql=INSERT INTO pair SELECT a,b FROM pair",
            "remove&key=key",
            "remove&key=none",
            "alarm-set&alarm=a&at=2200-01-01T00:00:00Z",
            "alarm-set&alarm=a&at=none",
            "alarm-cancel&alarm=a",
            "restore&bookmark={state}",
            "restore&bookmark={newest}",
            "restore&bookmark=none",
            "fork&bookmark={newest}&name=copy",
            "fork&bookmark={newest}&name=copy",
            "evict",
            "reset",
            "delete",
            "purge",
            "purge&confirm=secret",
            "none")) {
      actions.add(OF_OBJECT + "&action=" + action);
    }
    QUERIES.put("GET /object/act", actions);
    QUERIES.put("POST /object/ask", actions);
    QUERIES.put("POST /object/act", actions);
    QUERIES.put("POST /object/export", List.of(OF_OBJECT));
    QUERIES.put("POST /object/import", List.of(OF_OBJECT));
    QUERIES.put("POST /logout", List.of(""));
  }

  /** Has the marker in its keys' values, its rows, alarms and events, and what it throws. */
  private record Secretive(ObjectContext context, CountDownLatch stuck)
      implements Notes, AlarmHandler {

    @Override
    public void put(String key, String value) {
      context.storage().put(key, value);
      context.storage().put("bytes", value.getBytes(StandardCharsets.UTF_8));
      context.storage().put("map", Map.of(value, List.of(value)));
      context.storage().schedules().at("alarm", context.clock().instant().plusSeconds(1));
      context.emit("topic", value);
    }

    @Override
    public String get(String key) {
      try {
        stuck.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return key;
    }

    @Override
    public void sql(String value) {
      context
          .storage()
          .sql()
          .exec("CREATE TABLE IF NOT EXISTS pair (a TEXT PRIMARY KEY, b BLOB) WITHOUT ROWID");
      context.storage().sql().exec("CREATE TABLE IF NOT EXISTS line (a TEXT)");
      context
          .storage()
          .sql()
          .exec("INSERT INTO pair VALUES (?, ?)", value, value.getBytes(StandardCharsets.UTF_8));
      context.storage().sql().exec("INSERT INTO line VALUES (?)", value);
    }

    @Override
    public void alarm(AlarmInfo alarm) throws AbandonAlarmException {
      throw new AbandonAlarmException(MARKER, new IllegalStateException(MARKER));
    }
  }

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock(Instant.parse("2100-01-01T00:00:00Z"));
  private final CountDownLatch stuck = new CountDownLatch(1);
  private final Logger logger = Logger.getLogger("dev.holdfast.console");
  private final Queue<String> logged = new ConcurrentLinkedQueue<>();
  private final Handler log =
      new Handler() {
        @Override
        public void publish(LogRecord each) {
          logged.add(each.getMessage() + each.getThrown());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  private ObjectRuntime runtime;

  @BeforeEach
  void open() throws Exception {
    runtime =
        Holdfast.open(
            directory.resolve("data"),
            clock,
            open ->
                open.namespace("notes", Notes.class, context -> new Secretive(context, stuck))
                    .namespace(
                        "rocks",
                        Notes.class,
                        context -> new Secretive(context, stuck),
                        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB))
                    .options(
                        RuntimeOptions.DEFAULT.withArchive(
                            ArchiveOptions.to(
                                new DirectoryArchive(directory.resolve("archive"))))));
  }

  @AfterEach
  void close() {
    logger.removeHandler(log);
    logger.setLevel(null);
    stuck.countDown();
    runtime.close();
  }

  private Notes notes(String namespace, String name) {
    return runtime.namespace(namespace, Notes.class).getByName(name);
  }

  private String newest(String namespace) {
    return runtime
        .recovery(namespace, runtime.namespace(namespace, Notes.class).idFromName("secret"))
        .history(1)
        .entries()
        .getFirst()
        .bookmark();
  }

  private HoldfastConsole console(ConsoleOptions options) throws Exception {
    return HoldfastConsole.start(
        runtime,
        options
            .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, TOKEN)));
  }

  private byte[] exported() throws Exception {
    try (HoldfastConsole open = console(ConsoleOptions.DEFAULT)) {
      Browser browser = Browser.in(open.address(), TOKEN);
      HttpRequest export =
          browser
              .request(
                  "object/export",
                  Map.of("namespace", "notes", "object", "secret", "form", browser.form()))
              .build();
      return browser.send(export, BodyHandlers.ofByteArray()).body();
    }
  }

  @Test
  void hiddenValuesAreInNoAnswerOfAnyAddressAndInNoLog() throws Exception {
    assertThat(QUERIES.keySet())
        .containsExactlyInAnyOrderElementsOf(
            ConsoleRoute.ALL.stream().map(each -> each.method() + " " + each.path()).toList());
    for (String namespace : List.of("notes", "rocks")) {
      notes(namespace, "secret").put("key", MARKER);
    }
    notes("notes", "secret").sql(MARKER);
    runtime.consume("topic", "index", String.class, _ -> {}).close();
    clock.advance(Duration.ofSeconds(2));
    Thread waiting = Thread.ofVirtual().start(() -> notes("notes", "stuck").get(MARKER));
    byte[] file = exported();
    assertThat(new String(file, StandardCharsets.UTF_8)).contains(MARKER);
    logger.addHandler(log);
    logger.setLevel(Level.INFO);
    try (HoldfastConsole console = console(ConsoleOptions.DEFAULT.withRedaction())) {
      for (String namespace : List.of("notes", "rocks")) {
        String state = newest(namespace);
        notes(namespace, "secret").put("key", MARKER + 2);
        if (namespace.equals("notes")) {
          notes(namespace, "secret").sql(MARKER + 2);
        }
        Map<String, String> names =
            Map.of(
                "{namespace}",
                namespace,
                "{state}",
                state,
                "{newest}",
                newest(namespace),
                "{directory}",
                directory.resolve(namespace).toString());
        for (ConsoleRoute route : ConsoleRoute.ALL) {
          Browser browser = Browser.in(console.address(), TOKEN); // one of them logs out
          for (String query : QUERIES.get(route.method() + " " + route.path())) {
            assertHidden(browser, route, filled(query, names), file);
          }
        }
      }
    }
    stuck.countDown();
    waiting.join();
    assertThat(logged).isNotEmpty().noneMatch(each -> each.contains(MARKER));
  }

  private static Map<String, String> filled(String query, Map<String, String> names) {
    Map<String, String> fields = new HashMap<>();
    for (String each : query.split("&")) {
      int at = each.indexOf('=');
      if (at > 0) {
        String value = each.substring(at + 1);
        for (Map.Entry<String, String> name : names.entrySet()) {
          value = value.replace(name.getKey(), name.getValue());
        }
        fields.put(each.substring(0, at), value);
      }
    }
    return fields;
  }

  private static void assertHidden(
      Browser browser, ConsoleRoute route, Map<String, String> fields, byte[] file)
      throws Exception {
    String path = route.path().substring(1);
    StringBuilder query = new StringBuilder("?");
    fields.forEach(
        (name, value) -> query.append(name).append('=').append(Browser.query(value)).append('&'));
    List<HttpResponse<String>> answers = new ArrayList<>();
    if (route.path().equals("/object/import")) {
      for (byte[] body : List.of(file, MARKER.repeat(1_000).getBytes(StandardCharsets.UTF_8))) {
        answers.add(
            browser.send(
                HttpRequest.newBuilder(browser.at(path + query))
                    .header("X-Holdfast-Form", browser.form())
                    .POST(BodyPublishers.ofByteArray(body))
                    .build()));
      }
    } else if (route.method().equals("GET")) {
      answers.add(browser.get(path + query));
    } else {
      answers.add(browser.submit(path, fields));
    }
    for (HttpResponse<String> answer : answers) {
      String asked = route.method() + " " + route.path() + " " + fields;
      assertThat(answer.statusCode()).as(asked + answer.body()).isLessThan(500);
      assertThat(answer.uri().getPath().equals("/login")).isEqualTo(path.equals("logout"));
      assertThat(answer.headers().map() + answer.body())
          .as(asked)
          .doesNotContain(MARKERS.toArray(String[]::new));
    }
  }
}
