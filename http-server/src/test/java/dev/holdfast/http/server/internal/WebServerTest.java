package dev.holdfast.http.server.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.http.Admission;
import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.ApiResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes over a socket, byte for byte. The handler answers with what it was sent. */
class WebServerTest {

  private static final int BODY_BYTES_MAX = 40_000;
  private static final int BODIES_BYTES_MAX = 100_000;

  /** More than the kernel takes for a client that reads nothing. */
  private static final String LARGE = "x".repeat(24_000_000);

  private final CountDownLatch slowMayEnd = new CountDownLatch(1);
  private final CountDownLatch slowHasBegun = new CountDownLatch(1);

  private WebServer server;

  @BeforeEach
  void start() throws IOException {
    server = start(Duration.ofSeconds(60), Duration.ofSeconds(60));
  }

  private WebServer start(Duration idle, Duration request) throws IOException {
    return start(idle, request, Duration.ofSeconds(60));
  }

  private WebServer start(Duration idle, Duration request, Duration stop) throws IOException {
    return WebServer.start(
        WebServer.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
        new Limits(100, BODY_BYTES_MAX, BODIES_BYTES_MAX, idle, request, stop),
        null,
        this::echo,
        line -> {});
  }

  @AfterEach
  void stop() {
    slowMayEnd.countDown();
    server.close();
  }

  private Admission echo(ApiRequest head) {
    if (head.path().equals("/fails")) {
      throw new IllegalStateException("secret");
    }
    if (head.path().equals("/exhausted")) {
      throw new StackOverflowError("secret");
    }
    if (head.path().equals("/unread")) {
      return new Admission.Answered(new ApiResponse(403, Map.of(), "unread"));
    }
    return new Admission.Admitted(head.query(), BODY_BYTES_MAX, body -> echo(head, body));
  }

  private ApiResponse echo(ApiRequest head, ByteBuffer body) {
    if (head.path().equals("/large")) {
      return new ApiResponse(200, Map.of(), LARGE);
    }
    if (head.path().equals("/slow")) {
      slowHasBegun.countDown();
      try {
        slowMayEnd.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    String sent = StandardCharsets.ISO_8859_1.decode(body).toString();
    String shown = sent.length() > 100 ? sent.length() + " bytes" : sent;
    String text = head.method() + " " + head.path() + " " + head.query() + " " + shown;
    return new ApiResponse(200, Map.of(), text);
  }

  private RawClient client() throws IOException {
    return new RawClient(server.address());
  }

  @Test
  void connectionThatWaitsForTheNextRequestHoldsLittle() throws IOException {
    List<RawClient> waiting = new ArrayList<>();
    waiting.add(served());
    long before = heapBytes();
    while (waiting.size() < 100) {
      waiting.add(served());
    }
    assertThat((heapBytes() - before) / waiting.size()).isLessThan(40 * 1_024);
    for (RawClient client : waiting) {
      client.close();
    }
  }

  private RawClient served() throws IOException {
    RawClient client = client();
    String request = "GET /a HTTP/1.1~Host: x~User-Agent: b~Accept: text/html~~";
    assertThat(client.lines(request).answer()).startsWith("HTTP/1.1 200");
    assertThat(client.lines(request).answer()).startsWith("HTTP/1.1 200");
    return client;
  }

  private static long heapBytes() {
    Runtime runtime = Runtime.getRuntime();
    runtime.gc();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '\0',
      value = {
        "GET /a|b HTTP/1.1~Host: x~~#400",
        "GET /a{b} HTTP/1.1~Host: x~~#400",
        "GET /a^b HTTP/1.1~Host: x~~#400",
        "GET /a\"b HTTP/1.1~Host: x~~#400",
        "GET /a\\b HTTP/1.1~Host: x~~#400",
        "GET /\u00e4 HTTP/1.1~Host: x~~#400",
        "GET / a HTTP/1.1~Host: x~~#400",
        "GET /~~#505",
        "GET example.com HTTP/1.1~Host: x~~#400",
        "G@T / HTTP/1.1~Host: x~~#400",
        "GET / HTTP/2.0~Host: x~~#505",
        "GET / HTTP/1.1~~#400",
        "GET / HTTP/1.1~Host: x~Host: x~~#400",
        "GET / HTTP/1.1~Host : x~~#400",
        "GET / HTTP/1.1~Host: x~ folded~~#400",
        "GET / HTTP/1.1~Host: x~A: \u0001~~#400",
        "GET / HTTP/1.1~Host: x~no colon~~#400",
        "GET / HTTP/1.1[LF]Host: x[LF][LF]#400",
        "GET / HTTP/1.1~Host: x[LF]~~#400",
        "GET / HTTP/1.1~Host: x~A: b[CR]c~~#400",
        "POST / HTTP/1.1~Host: x~Content-Length: 1~Content-Length: 2~~ab#400",
        "POST / HTTP/1.1~Host: x~Content-Length: 1,1~~ab#400",
        "POST / HTTP/1.1~Host: x~Content-Length: +1~~a#400",
        "POST / HTTP/1.1~Host: x~Content-Length: -1~~a#400",
        "POST / HTTP/1.1~Host: x~Content-Length: 1~Transfer-Encoding: chunked~~0~~#400",
        "POST / HTTP/1.0~Transfer-Encoding: chunked~~0~~#400",
        "POST / HTTP/1.1~Host: x~Transfer-Encoding: gzip, chunked~~0~~#501",
        "POST / HTTP/1.1~Host: x~Transfer-Encoding: chunked~~z~~#400",
        "POST / HTTP/1.1~Host: x~Transfer-Encoding: chunked~~1~ab~0~~#400",
        "POST / HTTP/1.1~Host: x~Transfer-Encoding: chunked~~-1~a~0~~#400",
        "POST / HTTP/1.1~Host: x~Transfer-Encoding: chunked~~fffffffff~[40001]#413",
        "POST / HTTP/1.1~Host: x~Content-Length: 40001~~#413",
        "POST / HTTP/1.1~Host: x~Content-Length: 99999999999999999999~~#400",
        "POST / HTTP/1.1~Host: x~Expect: wonders~~#417",
      })
  void whatIsMalformedOrTooLongIsAnsweredAndTheConnectionEnds(String request, int status)
      throws IOException {
    try (RawClient client = client()) {
      String answer =
          client
              .lines(
                  request
                      .replace("[LF]", "\n")
                      .replace("[CR]", "\r")
                      .replace("[40001]", "x".repeat(40_001)))
              .answer();

      assertThat(answer).startsWith("HTTP/1.1 " + status).contains("Connection: close\r\n");
    }
  }

  @Test
  void headsThatAreTooLongAreRefused() throws IOException {
    String long70 = "x".repeat(70_000);
    try (RawClient target = client();
        RawClient header = client()) {
      assertThat(target.lines("GET /" + long70).answer()).startsWith("HTTP/1.1 414");
      assertThat(header.lines("GET / HTTP/1.1~A: " + long70).answer()).startsWith("HTTP/1.1 431");
    }
  }

  @Test
  void requestsFollowOneAnotherOnAConnection() throws IOException {
    try (RawClient client = client()) {
      client.lines(
          "GET /a?b=c HTTP/1.1~Host: x~~"
              + "POST /d HTTP/1.1~Host: x~Content-Length: 3~~abc"
              + "POST /e HTTP/1.1~Host: x~Transfer-Encoding: Chunked~~2;n=v~ab~1~c~0~Trailer: t~~"
              + "~GET http://other:81?q HTTP/1.1~Host: x~~"
              + "POST /unread HTTP/1.1~Host: x~Content-Length: 3~~abc"
              + "HEAD /h HTTP/1.1~Host: x~~");
      assertThat(client.answer()).endsWith("GET /a b=c ").doesNotContain("close");
      assertThat(client.answer()).endsWith("POST /d  abc");
      assertThat(client.answer()).endsWith("POST /e  abc");
      assertThat(client.answer()).endsWith("GET / q ");
      assertThat(client.answer()).endsWith("unread").doesNotContain("close");
      client.lines("GET /last HTTP/1.1~Host: x~Connection: te, Close~~");
      // That of HEAD has the length of a body and no body.
      assertThat(client.head()).contains("Content-Length: 9");
      assertThat(client.answer())
          .endsWith("GET /last  ")
          .contains("Connection: close", "Date: ")
          .doesNotContain("Server: ");
      assertThat(client.isClosed()).isTrue();
    }
  }

  @Test
  void proxiesMaySpeakTheOldVersion() throws IOException {
    try (RawClient once = client();
        RawClient kept = client()) {
      String answer = once.lines("POST /a HTTP/1.0~Content-Length: 3~~abc").answer();
      assertThat(answer).startsWith("HTTP/1.1 200").endsWith("POST /a  abc");
      assertThat(once.isClosed()).isTrue();

      kept.lines("GET /b HTTP/1.0~Connection: keep-alive~~");
      assertThat(kept.answer()).contains("Connection: keep-alive").endsWith("GET /b  ");
      assertThat(kept.lines("GET /c HTTP/1.0~~").answer()).endsWith("GET /c  ");
    }
  }

  @Test
  void aBodyIsAskedForOnlyWhenItIsRead() throws IOException {
    String head = " HTTP/1.1~Host: x~Content-Length: 3~Expect: 100-continue~~";
    try (RawClient read = client();
        RawClient unread = client()) {
      assertThat(read.lines("POST /a" + head).answer()).startsWith("HTTP/1.1 100 Continue");
      assertThat(read.send("abc").answer()).endsWith("POST /a  abc");

      assertThat(unread.lines("POST /unread" + head).answer())
          .startsWith("HTTP/1.1 403")
          .contains("Connection: close");
      assertThat(unread.isClosed()).isTrue();
    }
  }

  @Test
  void bodiesOfAllRequestsTogetherAreBounded() throws IOException {
    String upload = "POST /a?%s HTTP/1.1~Host: x~Content-Length: 30000~~";
    try (RawClient first = client();
        RawClient second = client()) {
      first.lines(upload.formatted("one")).send("x".repeat(29_999));
      second.lines(upload.formatted("two")).send("x".repeat(29_999));
      while (server.bodyBytesLeft() > BODIES_BYTES_MAX - 60_000) {
        Thread.onSpinWait();
      }
      try (RawClient third = client()) {
        assertThat(third.lines(upload.formatted("three")).send("x".repeat(30_000)).answer())
            .startsWith("HTTP/1.1 429");
      }

      assertThat(first.send("x").answer()).endsWith("30000 bytes");
      assertThat(second.send("x").answer()).endsWith("30000 bytes");
      assertThat(first.lines(upload.formatted("one")).send("x".repeat(30_000)).answer())
          .endsWith("30000 bytes");
    }
    assertThat(server.bodyBytesLeft()).isEqualTo(BODIES_BYTES_MAX);
  }

  @Test
  void answersThatNoClientReadsAreBounded() throws IOException {
    Duration minute = Duration.ofSeconds(60);
    try (WebServer large =
            WebServer.start(
                WebServer.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                new Limits(
                    100, BODY_BYTES_MAX, LARGE.length() + 8_000_000, minute, minute, Duration.ZERO),
                null,
                this::echo,
                line -> {});
        RawClient first = new RawClient(large.address());
        RawClient second = new RawClient(large.address())) {
      assertThat(first.lines("GET /large?one HTTP/1.1~Host: x~~").head()).contains(" 200 ");
      assertThat(second.lines("GET /large?one HTTP/1.1~Host: x~~").head()).contains(" 200 ");

      try (RawClient third = new RawClient(large.address())) {
        assertThat(third.lines("GET /large?one HTTP/1.1~Host: x~~").answer())
            .startsWith("HTTP/1.1 429")
            .contains("too many answers that were not read");
        assertThat(third.lines("GET /a HTTP/1.1~Host: x~~").answer()).endsWith("GET /a  ");
      }
      try (RawClient writer = new RawClient(large.address())) {
        writer.lines("POST /large?one HTTP/1.1~Host: x~Content-Length: 0~~");
        assertThat(writer.isClosed()).isTrue();
      }
      try (RawClient other = new RawClient(large.address())) {
        assertThat(other.lines("GET /large?two HTTP/1.1~Host: x~~").head()).contains(" 200 ");
      }
    }
  }

  @Test
  void holderHasAtMostAsMuchAsIsLeftForTheOthers() {
    BodyBudget budget = new BodyBudget(1_000);
    assertThat(budget.tryTake("one", 501)).isFalse();
    assertThat(budget.tryTake("one", 400)).isTrue();
    assertThat(budget.tryTake("one", 101)).isFalse();
    assertThat(budget.tryTake("one", 100)).isTrue();
    for (int i = 2; i <= 10; i++) {
      assertThat(budget.tryTake("holder " + i, budget.left() / 2)).isTrue();
      assertThat(budget.tryTake("holder " + i, 1)).isFalse();
    }
    assertThat(budget.left()).isPositive();

    budget.release("one", 500);
    assertThat(budget.left()).isGreaterThan(500);
    assertThat(budget.tryTake("two", Integer.MAX_VALUE)).isFalse();
    assertThat(budget.tryTake("one", 200)).isTrue();
  }

  /** What a client does on a new connection, which may be closed before it comes to it. */
  private interface Try {
    void run(RawClient client) throws IOException;
  }

  /**
   * Tries again on a new connection if the old one was closed: this machine may have been slower in
   * the middle of it than the server is patient.
   */
  private static void onSomeConnection(WebServer server, Try once) throws IOException {
    for (int tries = 1; ; tries++) {
      try (RawClient client = new RawClient(server.address())) {
        once.run(client);
        return;
      } catch (IOException closed) {
        if (tries == 100) {
          throw closed;
        }
      }
    }
  }

  @Test
  void clientsThatAreSilentAreLeftAfterATime() throws IOException {
    try (WebServer limited = start(Duration.ofMillis(500), Duration.ofSeconds(60))) {
      onSomeConnection(
          limited,
          idle -> {
            assertThat(idle.lines("GET /a HTTP/1.1~Host: x~~").answer()).endsWith("GET /a  ");
            assertThat(idle.isClosed()).isTrue();
          });
      onSomeConnection(limited, beginning -> assertThat(beginning.send("G").isClosed()).isTrue());
    }
  }

  @Test
  void bodiesThatComeTooSlowlyAreAnsweredAndTheConnectionEnds() throws IOException {
    try (WebServer limited = start(Duration.ofSeconds(60), Duration.ofMillis(100))) {
      for (String body : List.of("Content-Length: 9~~a", "Transfer-Encoding: chunked~~9~a")) {
        onSomeConnection(
            limited,
            dripping -> {
              dripping.lines("POST /a HTTP/1.1~Host: x~" + body);
              assertThat(dripping.answer()).startsWith("HTTP/1.1 408");
              assertThat(dripping.isClosed()).isTrue();
            });
      }
    }
  }

  @Test
  void answersMayTakeLongerThanClientsMay() throws IOException {
    Duration limit = Duration.ofMillis(200);
    try (WebServer limited = start(limit, limit)) {
      onSomeConnection(
          limited,
          working -> {
            working.lines("GET /slow HTTP/1.1~Host: x~~");
            onSomeConnection(
                limited,
                // While that one is answered; and it waits for longer than a client may.
                silent -> assertThat(silent.isClosed()).isTrue());
            slowMayEnd.countDown();
            assertThat(working.answer()).endsWith("GET /slow  ");
          });
    }
  }

  @Test
  void headThatDripsInIsNotWaitedForHoweverLongItLasts() throws IOException {
    try (WebServer limited = start(Duration.ofSeconds(60), Duration.ofMillis(50));
        RawClient client = new RawClient(limited.address())) {
      client.lines("GET /a HTTP/1.1~Host: x~A: ");
      assertThatThrownBy(
              () -> {
                while (true) {
                  client.send("b");
                  Thread.onSpinWait();
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  private boolean awaitSlow() {
    try {
      slowHasBegun.await();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  void stoppingLetsRequestsEndAndTakesNoNewOnes() throws Exception {
    try (RawClient idle = client();
        RawClient working = client()) {
      assertThat(idle.lines("GET /a HTTP/1.1~Host: x~~").answer()).endsWith("GET /a  ");
      working.lines("GET /slow HTTP/1.1~Host: x~~");
      assertThat(awaitSlow()).isTrue();
      Thread stopping = Thread.ofVirtual().start(server::close);

      assertThat(idle.isClosed()).isTrue();
      assertThat(stopping.isAlive()).isTrue();
      slowMayEnd.countDown();
      assertThat(working.answer()).endsWith("GET /slow  ").contains("Connection: close");
      stopping.join();
    }
  }

  @Test
  void stoppingClosesWhatDoesNotEndInTime() throws IOException {
    Duration minute = Duration.ofSeconds(60);
    WebServer limited = start(minute, minute, Duration.ofMillis(100));
    try (RawClient working = new RawClient(limited.address())) {
      working.lines("GET /slow HTTP/1.1~Host: x~~");
      assertThat(awaitSlow()).isTrue();

      limited.close();

      assertThat(working.isClosed()).isTrue();
      limited.close(); // once more does nothing
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/fails", "/exhausted"})
  void failureOfTheHandlerIsShownToNoClient(String path) throws IOException {
    try (RawClient client = client()) {
      String answer = client.lines("GET " + path + " HTTP/1.1~Host: x~~").answer();

      assertThat(answer)
          .startsWith("HTTP/1.1 500")
          .contains("Internal error")
          .doesNotContain("secret")
          .contains("Connection: close");
    }
  }

  @Test
  void noBytesBringAThreadDown() throws IOException {
    Random random = new Random(20261122);
    String good = "POST /a HTTP/1.1~Host: x~Transfer-Encoding: chunked~~2~ab~0~~";
    String bytes = "~ :/.\0\u00ff\r\nPOST0123abcHTTP";
    for (int i = 0; i < 300; i++) {
      StringBuilder text = new StringBuilder(good);
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        text.setCharAt(random.nextInt(text.length()), bytes.charAt(random.nextInt(bytes.length())));
      }
      try (RawClient client = client()) {
        client.lines(text.toString()).endOutput();
        assertThat(client.rest()).as(text.toString()).matches("(?s)|HTTP/1.1 [2345].*");
      }
    }
    try (RawClient client = client()) {
      assertThat(client.lines(good).answer()).endsWith("POST /a  ab");
    }
  }
}
