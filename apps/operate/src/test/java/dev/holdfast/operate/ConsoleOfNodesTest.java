package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.console.ConsoleOptions;
import dev.holdfast.console.HoldfastConsole;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.operator.OperatorRequest;
import java.io.IOException;
import java.net.CookieManager;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages show the objects of all three nodes, whichever is asked, in process or by a socket. */
class ConsoleOfNodesTest {

  private static final List<String> NODES = List.of("a", "b", "c");
  private static final int SHARDS = 3;
  private static final int NOTES = 9;
  private static final Pattern FORM = Pattern.compile("name=\"form\" value=\"([^\"]*)\"");

  /** Keeps a text. */
  public interface Memo {

    /** Keeps another text. */
    void write(String text);
  }

  private record MemoObject(ObjectContext context) implements Memo {

    @Override
    public void write(String text) {
      context.storage().put("text", text);
    }
  }

  @TempDir private static Path directory;
  private static final Map<String, ClusterRuntime> OPEN = new LinkedHashMap<>();

  private final HttpClient client =
      HttpClient.newBuilder()
          .cookieHandler(new CookieManager())
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build();

  private static void register(ObjectRegistrar objects) {
    objects.options(RuntimeOptions.DEFAULT.withOperatorSocket());
    objects.namespace("memos", Memo.class, MemoObject::new);
  }

  @BeforeAll
  static void open() throws Exception {
    List<Integer> ports = FreePorts.pairs(NODES.size());
    List<String> members = new ArrayList<>();
    for (String node : NODES) {
      members.add(node + "=127.0.0.1:" + ports.get(members.size()));
    }
    for (String node : NODES) {
      ClusterOptions options =
          ClusterOptions.of("pages")
              .node(node)
              .members(members.toArray(String[]::new))
              .withShards(SHARDS)
              .withFailover(Duration.ofSeconds(2));
      OPEN.put(
          node,
          ClusterHoldfast.open(directory.resolve(node), options, ConsoleOfNodesTest::register));
    }
    for (ClusterRuntime node : OPEN.values()) {
      assertThat(node.awaitReady(Duration.ofMinutes(2))).isTrue();
    }
    for (int shard = 0; shard < SHARDS; shard++) {
      move(shard, NODES.get(shard));
    }
    for (int each = 0; each < NOTES; each++) {
      OPEN.get("a").namespace("memos", Memo.class).getByName("memo-" + each).write("<b>" + each);
    }
  }

  /** On a busy machine a move may take too long. */
  private static void move(int shard, String node) {
    while (true) {
      try {
        OPEN.get("a").transfer(shard, node);
        return;
      } catch (ClusterException e) {
        assertThat(e.reason()).isEqualTo(ClusterException.Reason.NOT_MOVED);
      }
    }
  }

  @AfterAll
  static void close() {
    OPEN.values().forEach(ClusterRuntime::close);
  }

  private static ConsoleOptions anyPort() {
    return ConsoleOptions.DEFAULT.withAddress(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  private HttpResponse<String> get(URI console, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(console.resolve(path)).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(URI console, String path, Map<String, String> fields)
      throws IOException, InterruptedException {
    List<String> pairs = new ArrayList<>();
    fields.forEach(
        (name, value) -> pairs.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8)));
    return client.send(
        HttpRequest.newBuilder(console.resolve(path))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(String.join("&", pairs)))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void pagesOfEachNodeShowTheObjectsOfAll() throws Exception {
    for (String node : NODES) {
      try (HoldfastConsole console = HoldfastConsole.start(OPEN.get(node), anyPort())) {
        check(console);
      }
    }
    try (Door door = Door.open(directory.resolve("b"), false, OperatorRequest.of("objects"));
        HoldfastConsole console = HoldfastConsole.start(door.operations(), anyPort())) {
      check(console);
      moveAShard(console);
    }
  }

  private void check(HoldfastConsole console) throws Exception {
    URI at = console.address();
    post(at, "login", Map.of("token", console.newToken().orElseThrow()));
    assertThat(get(at, "").body()).contains("Health: <strong>UP", "memos", ">Cluster</a>");
    String objects = get(at, "objects?namespace=memos").body();
    String activity = get(at, "activity").body();
    for (int each = 0; each < NOTES; each++) {
      assertThat(objects).contains("memo-" + each);
      assertThat(get(at, "object?namespace=memos&object=memo-" + each).body())
          .contains("&lt;b&gt;" + each);
      assertThat(get(at, "object/time?namespace=memos&object=memo-" + each).statusCode())
          .isEqualTo(200);
    }
    assertThat(objects).doesNotContain("not whole");
    assertThat(activity).doesNotContain("role=\"alert\"");
    for (int shard = 0; shard < SHARDS; shard++) {
      assertThat(get(at, "journal?shard=" + shard).body()).contains("memos / ", "?shard=2\"");
      assertThat(get(at, "statistics?shard=" + shard).statusCode()).isEqualTo(200);
    }
    assertThat(get(at, "journal").uri().getQuery()).isEqualTo("shard=0");
    assertThat(get(at, "journal?shard=7").body()).contains("There is no shard 7");
    String cluster = get(at, "cluster").body();
    for (String node : NODES) {
      assertThat(cluster)
          .contains("<th scope=\"row\">" + node + "</th><td>UP</td>", "Lag, " + node);
    }
  }

  private void moveAShard(HoldfastConsole console) throws Exception {
    URI at = console.address();
    String question = get(at, "cluster/move?shard=2&to=a").body();
    assertThat(question).contains("Shard 2 goes to node a.");
    Matcher form = FORM.matcher(question);
    assertThat(form.find()).isTrue();
    String before = OPEN.get("a").shards().get(2).owner();
    assertThat(before).isNotNull();
    HttpResponse<String> done =
        post(at, "cluster/move", Map.of("form", form.group(1), "shard", "2", "to", before));
    assertThat(done.body()).contains("The shard was moved.");
  }

  @Test
  void verbsAnswerForAllNodes() throws Exception {
    Path data = directory.resolve("c");
    for (int shard = 0; shard < SHARDS; shard++) {
      CommandLineRun journal =
          CommandLineRun.inspect(
              "journal", "--shard", String.valueOf(shard), "--data", data.toString());
      assertThat(journal.code()).as(journal.err()).isZero();
      assertThat(journal.out()).contains("memos");
    }
    CommandLineRun objects = CommandLineRun.inspect("objects", "--data", data.toString());
    assertThat(objects.out()).contains("memo-0", "memo-8");
    assertThat(objects.err()).isEmpty();
    CommandLineRun health = CommandLineRun.inspect("health", "--data", data.toString());
    assertThat(health.code()).isZero();
    CommandLineRun top = CommandLineRun.inspect("top", "--count", "1", "--data", data.toString());
    assertThat(top.code()).as(top.err()).isZero();
    CommandLineRun none =
        CommandLineRun.inspect("object", "memos", "none", "--data", data.toString());
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains("There is no object none");
  }
}
