package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of the console on a runtime in this process. */
@TestInstance(Lifecycle.PER_CLASS)
class ConsoleTest {

  private static final String OPERATOR = "operator-operator-operator";
  private static final String VIEWER = "viewer-viewer-viewer-viewer";
  private static final String MARKUP = "<script>alert(1)</script>&\"'";

  @TempDir private static Path directory;

  private ObjectRuntime runtime;
  private HoldfastConsole console;

  @BeforeAll
  void open() throws Exception {
    runtime =
        Holdfast.open(directory, open -> open.namespace("notes", Notes.class, NotesObject::new));
    console =
        HoldfastConsole.start(
            runtime,
            options()
                .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, OPERATOR))
                .withToken(ConsoleToken.of(ConsoleRole.VIEWER, VIEWER)));
  }

  private static ConsoleOptions options() {
    return ConsoleOptions.DEFAULT.withAddress(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterAll
  void close() {
    console.close();
    runtime.close();
  }

  private Notes notes(String name) {
    return runtime.namespace("notes", Notes.class).getByName(name);
  }

  private ObjectId id(String name) {
    return runtime.namespace("notes", Notes.class).idFromName(name);
  }

  private Browser operator() throws Exception {
    return Browser.in(console.address(), OPERATOR);
  }

  @Test
  void nobodyIsSentToTheLoginAndEntersWithAToken() throws Exception {
    Browser browser = new Browser(console.address());

    assertThat(browser.get("objects").uri().getPath()).isEqualTo("/login");
    assertThat(browser.post("login", Map.of("token", "wrong")).statusCode()).isEqualTo(403);
    HttpResponse<String> in = browser.post("login", Map.of("token", VIEWER));

    assertThat(in.uri().getPath()).isEqualTo("/");
    assertThat(in.body()).contains("Overview").contains("Health").doesNotContain(VIEWER);
  }

  @Test
  void wrongTokensAreRefusedAfterSome() throws Exception {
    try (HoldfastConsole tried =
        HoldfastConsole.start(
            runtime, options().withToken(ConsoleToken.of(ConsoleRole.VIEWER, VIEWER)))) {
      Browser browser = new Browser(tried.address());
      List<Integer> statuses = new ArrayList<>();
      for (int each = 0; each < 11; each++) { // another minute may begin in between
        statuses.add(browser.post("login", Map.of("token", "wrong")).statusCode());
      }

      assertThat(statuses).startsWith(403).contains(429).containsOnly(403, 429);
    }
  }

  @Test
  void otherAddressesThanTheLoopbackNeedTls() {
    InetSocketAddress any = new InetSocketAddress("0.0.0.0", 0);

    assertThatThrownBy(() -> ConsoleOptions.DEFAULT.withAddress(any))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("without TLS");
  }

  @Test
  void objectsAreListedAndOpened() throws Exception {
    notes("first").put("greeting", "hello");
    Browser browser = operator();

    assertThat(browser.get("objects?namespace=notes&prefix=fi").body()).contains(">first</a>");
    assertThat(browser.get("object?namespace=notes&object=first").body())
        .contains("greeting")
        .contains("hello")
        .contains("<code>line</code>");
    assertThat(browser.get("object?namespace=notes&object=nobody").statusCode()).isEqualTo(409);
  }

  @Test
  void statementsThatReadAreRunAndOthersAreNot() throws Exception {
    notes("sql").put("key", "a row");
    Map<String, String> select =
        Map.of("namespace", "notes", "object", "sql", "sql", "SELECT text FROM line");

    assertThat(operator().submit("object/sql", select).body())
        .contains("a row")
        .contains("SCAN line")
        .contains("Rows read: 1");
    assertThat(
            operator()
                .submit(
                    "object/sql",
                    Map.of("namespace", "notes", "object", "sql", "sql", "DELETE FROM line"))
                .body())
        .contains("Only statements that read are run");
    assertThat(operator().submit("object/sql", select).body()).contains("a row");
  }

  @Test
  void anObjectGoesBackAndForth() throws Exception {
    notes("past").put("state", "before");
    String before =
        runtime.recovery("notes", id("past")).history(1).entries().getFirst().bookmark();
    notes("past").put("state", "after");
    Browser browser = operator();
    String object = id("past").toString();

    assertThat(
            browser.get("object/time?namespace=notes&object=" + object + "&state=" + before).body())
        .contains("changed")
        .contains("Restore this state");
    assertThat(browser.get("object/act?action=restore&namespace=notes&object=" + object).body())
        .contains("A restore can be undone");
    HttpResponse<String> restored =
        browser.submit(
            "object/act",
            Map.of(
                "action", "restore", "namespace", "notes", "object", object, "bookmark", before));
    assertThat(restored.body()).contains("The object is in the chosen state.").contains("Undo");
    assertThat(notes("past").get("state")).isEqualTo("before");

    String undo = restored.body().replaceAll("(?s).*&bookmark=([^\"]*)\".*", "$1");
    browser.submit(
        "object/act",
        Map.of("action", "restore", "namespace", "notes", "object", object, "bookmark", undo));
    assertThat(notes("past").get("state")).isEqualTo("after");
  }

  @Test
  void namesKeysAndValuesAreTextAndNeverMarkup() throws Exception {
    notes(MARKUP).put(MARKUP, MARKUP);
    Browser browser = operator();

    for (String page :
        new String[] {
          "objects?namespace=notes",
          "objects?namespace=notes&prefix=" + Browser.query(MARKUP),
          "object?namespace=notes&object=" + id(MARKUP),
          "object?namespace=notes&object=" + Browser.query(MARKUP),
          "object/time?namespace=notes&object=" + id(MARKUP),
          "object?namespace=notes&object=" + Browser.query("missing" + MARKUP),
          ""
        }) {
      assertThat(browser.get(page).body()).as(page).doesNotContain("<script>alert");
    }
    assertThat(browser.get("object?namespace=notes&object=" + id(MARKUP)).body())
        .contains("&lt;script&gt;alert(1)");
  }

  @Test
  void everyAddressAsksForItsRole() throws Exception {
    Browser viewer = Browser.in(console.address(), VIEWER);
    Browser nobody = new Browser(console.address());
    for (ConsoleRoute each : ConsoleRoute.ALL) {
      boolean isChange = each.role() == ConsoleRole.OPERATOR;
      boolean isRead = each.method().equals("GET");
      String path = each.path().substring(1);
      HttpResponse<String> ofNobody = isRead ? nobody.get(path) : nobody.post(path, Map.of());
      assertThat(ofNobody.uri().getPath()).as(path).isEqualTo("/login");
      if (isChange) {
        HttpResponse<String> ofViewer = isRead ? viewer.get(path) : viewer.submit(path, Map.of());
        assertThat(ofViewer.statusCode()).as(path).isEqualTo(403);
      }
    }
  }

  /** Jetty ends a connection on which a body is left. */
  @ParameterizedTest
  @CsvSource({"text/plain, 9, 303", "application/x-www-form-urlencoded, 1000000, 413"})
  void anAnswerBeforeTheEndOfABodySaysThatTheConnectionEnds(String type, int length, int status)
      throws Exception {
    String head =
        "POST /object/act HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(type, length);
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), console.address().getPort())) {
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      // Only the head: the server waits a while for the body before it ends the connection.
      String answer =
          new BufferedReader(
                  new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
              .lines()
              .takeWhile(line -> !line.isEmpty())
              .collect(Collectors.joining("\n"));

      assertThat(answer)
          .startsWith("HTTP/1.1 " + status + " ")
          .containsIgnoringCase("connection: close");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "objects?namespace=%ff",
        "login?to=%ff",
        "object?namespace=notes&object=%c3%28",
        "assets/console.css?%ff"
      })
  void malformedAddressIsAMistakeOfItsSender(String address) throws Exception {
    assertThat(operator().get(address).statusCode()).isEqualTo(400);
  }

  @Test
  void otherSitesChangeNothing() throws Exception {
    notes("attacked").put("key", "value");
    Browser browser = operator();
    Map<String, String> delete =
        Map.of("action", "delete", "namespace", "notes", "object", id("attacked").toString());

    assertThat(browser.post("object/act", delete).statusCode()).isEqualTo(403);
    assertThat(
            browser
                .send(
                    browser
                        .request("object/act", delete)
                        .header("Origin", "http://attacker.example")
                        .build())
                .statusCode())
        .isEqualTo(403);
    assertThat(notes("attacked").get("key")).isEqualTo("value");
  }

  /** Nobody has logged in yet: a body is read before the login can be refused. */
  @Test
  void slowBodiesKeepNobodyFromTheLogin() throws Exception {
    List<Socket> slow = new ArrayList<>();
    try {
      for (int each = 0; each < 64; each++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), console.address().getPort());
        slow.add(socket);
        socket
            .getOutputStream()
            .write(
                ("POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
                        + "Content-Type: application/x-www-form-urlencoded\r\n\r\ntoken=")
                    .getBytes(StandardCharsets.US_ASCII));
      }
      HttpRequest login =
          HttpRequest.newBuilder(console.address().resolve("login"))
              .timeout(Duration.ofSeconds(20))
              .build();

      assertThat(new Browser(console.address()).send(login).statusCode()).isEqualTo(200);
    } finally {
      for (Socket each : slow) {
        each.close();
      }
    }
  }

  @Test
  void pagesAllowNoCodeInThemAndNoFrameAroundThem() throws Exception {
    HttpResponse<String> page = operator().get("");

    assertThat(page.headers().firstValue("content-security-policy").orElseThrow())
        .contains("default-src 'none'")
        .contains("frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(page.body()).doesNotContain("style=").doesNotContain("onclick");
    assertThat(operator().get("assets/htmx.min.js").body()).contains("htmx");
    assertThat(operator().get("assets/console.css").statusCode()).isEqualTo(200);
    assertThat(operator().get("assets/../secret").statusCode()).isEqualTo(404);
  }
}
