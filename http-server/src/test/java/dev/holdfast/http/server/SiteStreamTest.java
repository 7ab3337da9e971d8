package dev.holdfast.http.server;

import static dev.holdfast.http.server.RawOrigin.chunk;
import static dev.holdfast.http.server.RawOrigin.head;
import static dev.holdfast.http.server.RawOrigin.until;
import static dev.holdfast.http.server.RawOrigin.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.server.site.SiteProxy;
import dev.holdfast.http.site.SiteOptions;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes that the proxy passes between a client and a site. */
@TestInstance(Lifecycle.PER_CLASS)
class SiteStreamTest {

  private static final int LARGE_BYTES = 64 << 20;

  /** More than the sockets and the proxy hold; much less than a body. */
  private static final int HELD_BYTES_MAX = LARGE_BYTES / 4;

  private static final String CHUNKED =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n";

  @TempDir private static Path directory;

  private ServedApi api;
  private RawOrigin origin;
  private SiteProxy site;

  @BeforeAll
  void open() throws IOException {
    api = new ServedApi(directory);
    // The previous managed rules would read the beginning of each body first.
    api.api.operator().importLegacy(api.zone.id(), "{\"waf\":{\"enabled\":false}}");
    api.post(
            "/firewall/rules",
            "[{\"filter\":{\"expression\":\"http.request.uri.path eq \\\"/block\\\"\"},"
                + "\"action\":\"block\"}]")
        .isOk();
    origin = new RawOrigin();
    site =
        SiteProxy.start(
            api.api,
            SiteOptions.DEFAULT.withTrustedProxies(List.of("192.0.2.0/24")),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            URI.create("http://127.0.0.1:" + origin.port()),
            Duration.ofSeconds(60),
            null);
  }

  @AfterAll
  void close() {
    site.close();
    origin.close();
    api.close();
  }

  /** A connection to the site. */
  private final class Client implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Client() throws IOException {
      socket = new Socket(site.address().getAddress(), site.address().getPort());
      in = new BufferedInputStream(socket.getInputStream());
      out = socket.getOutputStream();
    }

    String all() throws IOException {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void eachPartOfABodyPassesBeforeTheNextIsThere() throws IOException {
    origin.on(
        "/echo",
        (head, in, out) -> {
          write(out, CHUNKED + "\r\n");
          for (String part = chunk(in); !part.isEmpty(); part = chunk(in)) {
            write(out, Integer.toHexString(part.length()) + "\r\n" + part + "\r\n");
          }
          write(out, "0\r\n\r\n");
        });
    try (Client client = new Client()) {
      write(
          client.out,
          "POST /echo HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (String part : List.of("one", "two", "three")) {
        write(client.out, part.length() + "\r\n" + part + "\r\n");
        if (part.equals("one")) {
          assertThat(head(client.in)).startsWith("HTTP/1.1 200");
        }
        assertThat(chunk(client.in)).isEqualTo(part);
      }
      write(client.out, "0\r\n\r\n");
      assertThat(chunk(client.in)).isEmpty();
    }
  }

  @Test
  void bodiesLargerThanWhatTheProxyHoldsPassInBothDirections() throws Exception {
    AtomicLong sent = new AtomicLong();
    AtomicLong held = new AtomicLong();
    origin.on(
        "/upload",
        (head, in, out) -> {
          held.set(drain(in, LARGE_BYTES, sent));
          write(out, "HTTP/1.1 200 OK\r\nContent-Length: " + LARGE_BYTES + "\r\n\r\n");
          sent.set(0);
          pour(out, LARGE_BYTES, sent);
        });
    try (Client client = new Client()) {
      write(
          client.out,
          "POST /upload HTTP/1.1\r\nHost: example.com\r\nContent-Length: "
              + LARGE_BYTES
              + "\r\n\r\n");
      pour(client.out, LARGE_BYTES, sent);
      assertThat(head(client.in)).startsWith("HTTP/1.1 200");
      assertThat(held.get()).isLessThan(HELD_BYTES_MAX);
      assertThat(drain(client.in, LARGE_BYTES, sent)).isLessThan(HELD_BYTES_MAX);
    }
  }

  private static void pour(OutputStream out, long bytes, AtomicLong sent) throws IOException {
    byte[] part = new byte[64 * 1_024];
    for (long left = bytes; left > 0; left -= part.length) {
      out.write(part);
      sent.addAndGet(part.length);
    }
  }

  /** Reads a body, and returns the most that was sent and not yet read. */
  private static long drain(InputStream in, long bytes, AtomicLong sent) throws IOException {
    long most = 0;
    int step = 1 << 20;
    for (long read = 0; read < bytes; read += step) {
      in.skipNBytes(step);
      most = Math.max(most, sent.get() - read - step);
    }
    return most;
  }

  @Test
  void bodyIsAskedForWhenTheSiteAsksForIt() throws IOException {
    origin.on(
        "/ask",
        (head, in, out) -> {
          assertThat(head).containsIgnoringCase("Expect: 100-continue");
          write(out, "HTTP/1.1 100 Continue\r\n\r\n");
          assertThat(in.readNBytes(5)).asString().isEqualTo("hello");
          write(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        });
    try (Client client = new Client()) {
      write(client.out, expecting("/ask"));
      assertThat(head(client.in)).startsWith("HTTP/1.1 100");
      write(client.out, "hello");
      assertThat(head(client.in)).startsWith("HTTP/1.1 200");
    }
  }

  private static String expecting(String path) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: example.com\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  }

  @Test
  void bodyOfABlockedRequestIsNotAskedFor() throws IOException {
    try (Client client = new Client()) {
      write(client.out, expecting("/block"));

      assertThat(client.all()).startsWith("HTTP/1.1 403").doesNotContain("HTTP/1.1 100");
    }
  }

  @Test
  void bodyThatTheFirewallHasAskedForIsNotAwaitedByTheSite() throws IOException {
    String rule =
        api.post(
                "/firewall/rules",
                "[{\"filter\":{\"expression\":\"http.request.body.raw contains \\\"evil\\\"\"},"
                    + "\"action\":\"block\"}]")
            .isOk()
            .result()
            .get(0)
            .get("id")
            .stringValue();
    origin.on(
        "/never-asks",
        (head, in, out) -> {
          assertThat(head).doesNotContainIgnoringCase("Expect");
          assertThat(in.readNBytes(5)).asString().isEqualTo("hello");
          write(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        });
    try (Client client = new Client()) {
      write(client.out, expecting("/never-asks"));
      assertThat(head(client.in)).startsWith("HTTP/1.1 100");
      write(client.out, "hello");
      assertThat(head(client.in)).startsWith("HTTP/1.1 200");
    } finally {
      api.delete("/firewall/rules/" + rule).isOk();
    }
  }

  @Test
  void headersOfOneConnectionStayThere() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    origin.on(
        "/hop",
        (head, in, out) -> {
          seen.add(head);
          write(
              out,
              "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: X-Back, close\r\nX-Back: 1\r\n"
                  + "Keep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nX-Through: 1\r\n\r\n");
        });
    try (Client client = new Client()) {
      write(
          client.out,
          "GET /hop HTTP/1.1\r\nHost: www.example.com\r\nConnection: te, upgrade, close\r\n"
              + "Keep-Alive: 5\r\nProxy-Connection: keep-alive\r\nTE: trailers\r\n"
              + "Proxy-Authorization: Basic YQ==\r\nUpgrade: h2c\r\nX-Real-IP: 192.0.2.1\r\n"
              + "X-Forwarded-Host: evil.example\r\nForwarded: for=192.0.2.1\r\n"
              + "X-Forwarded-For: 192.0.2.7\r\nX-End: 1\r\n\r\n");
      String answer = client.all();

      assertThat(answer).startsWith("HTTP/1.1 200").containsIgnoringCase("X-Through: 1");
      assertThat(answer).doesNotContainIgnoringCase("X-Back");
      assertThat(answer).doesNotContainIgnoringCase("Keep-Alive");
      assertThat(answer).doesNotContainIgnoringCase("Proxy-Auth");
    }
    assertThat(seen.take())
        .containsIgnoringCase("\r\nHost: www.example.com\r\n")
        .containsIgnoringCase("\r\nX-End: 1\r\n")
        .containsIgnoringCase("\r\nX-Forwarded-For: 127.0.0.1\r\n")
        .doesNotContainIgnoringCase("Keep-Alive")
        .doesNotContainIgnoringCase("\r\nTE:")
        .doesNotContainIgnoringCase("Proxy-")
        .doesNotContainIgnoringCase("Upgrade")
        .doesNotContain("192.0.2.")
        .doesNotContain("evil.example");
  }

  @Test
  void trailersPassInBothDirections() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    origin.on(
        "/trailers",
        (head, in, out) -> {
          assertThat(chunk(in)).isEqualTo("body");
          assertThat(chunk(in)).isEmpty();
          seen.add(head(in));
          seen.add(head);
          write(
              out,
              CHUNKED
                  + "Trailer: X-Sum, Set-Cookie\r\n\r\n"
                  + "2\r\n"
                  + "ok\r\n"
                  + "0\r\n"
                  + "X-Sum: 7\r\n"
                  + "Set-Cookie: a\r\n\r\n");
        });
    try (Client client = new Client()) {
      write(
          client.out,
          "POST /trailers HTTP/1.1\r\n"
              + "Host: example.com\r\n"
              + "Transfer-Encoding: chunked\r\n"
              + "Trailer: X-Check, Cookie\r\n\r\n"
              + "4\r\n"
              + "body\r\n"
              + "0\r\n"
              + "X-Check: 3\r\n"
              + "Host: evil.example\r\n"
              + "Cookie: b=1\r\n"
              + "Accept-Language: de\r\n"
              + "X-API-Version: 2\r\n"
              + "Origin: https://evil.example\r\n"
              + "Content-Length: 9\r\n\r\n");

      assertThat(head(client.in))
          .startsWith("HTTP/1.1 200")
          .containsIgnoringCase("Trailer: X-Sum\r\n");
      assertThat(chunk(client.in)).isEqualTo("ok");
      assertThat(chunk(client.in)).isEmpty();
      assertThat(head(client.in)).isEqualToIgnoringCase("X-Sum: 7\r\n\r\n");
    }
    assertThat(seen.take()).isEqualToIgnoringCase("X-Check: 3\r\n\r\n");
    assertThat(seen.take()).containsIgnoringCase("Trailer: X-Check\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
      })
  void answerThatBreaksOffIsNoWholeAnswer(String half) throws IOException {
    origin.on("/half", (head, in, out) -> write(out, half));
    try (Client client = new Client()) {
      write(client.out, "GET /half HTTP/1.1\r\nHost: example.com\r\n\r\n");
      String answer = client.all();

      assertThat(answer).startsWith("HTTP/1.1 200").doesNotContain("\r\n0\r\n");
      assertThat(answer).doesNotContain("Error");
    }
  }

  @Test
  void lengthOfAPageIsKnownWithoutItsBody() throws IOException {
    origin.on(
        "/head",
        (head, in, out) -> {
          assertThat(head).startsWith("HEAD ");
          write(out, "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nConnection: close\r\n\r\n");
        });
    try (Client client = new Client()) {
      write(client.out, "HEAD /head HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n");

      assertThat(client.all()).containsIgnoringCase("\r\nContent-Length: 1234\r\n");
    }
  }

  @Test
  void hintsPassBeforeTheAnswer() throws IOException {
    origin.on(
        "/hints",
        (head, in, out) ->
            write(
                out,
                "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
                    + "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"));
    try (Client client = new Client()) {
      write(client.out, "GET /hints HTTP/1.1\r\nHost: example.com\r\n\r\n");
      assertThat(head(client.in)).startsWith("HTTP/1.1 103").contains("</a.css>");
      assertThat(until(client.in, "\r\n\r\n")).startsWith("HTTP/1.1 204");
    }
  }

  private static final String HANDSHAKE =
      "GET %s HTTP/1.1\r\nHost: example.com\r\nConnection: keep-alive, Upgrade\r\n"
          + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: a2V5\r\n\r\n";

  @Test
  void webSocketsPassBytesInBothDirections() throws IOException {
    origin.on(
        "/socket",
        (head, in, out) -> {
          assertThat(head)
              .containsIgnoringCase("\r\nUpgrade: websocket\r\n")
              .containsIgnoringCase("\r\nConnection: Upgrade\r\n")
              .containsIgnoringCase("\r\nHost: example.com\r\n")
              .containsIgnoringCase("\r\nX-Forwarded-For: 127.0.0.1\r\n")
              .containsIgnoringCase("\r\nSec-WebSocket-Key: a2V5\r\n");
          write(
              out,
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                  + "Sec-WebSocket-Accept: YQ==\r\n\r\nfirst.");
          for (String said = until(in, "."); !said.equals("end."); said = until(in, ".")) {
            write(out, said);
          }
        });
    try (Client client = new Client()) {
      write(client.out, HANDSHAKE.formatted("/socket") + "early.");
      assertThat(head(client.in))
          .startsWith("HTTP/1.1 101")
          .containsIgnoringCase("\r\nUpgrade: websocket\r\n")
          .containsIgnoringCase("\r\nConnection: Upgrade\r\n")
          .containsIgnoringCase("\r\nSec-WebSocket-Accept: YQ==\r\n");
      assertThat(until(client.in, ".")).isEqualTo("first.");
      assertThat(until(client.in, ".")).isEqualTo("early.");
      for (int i = 0; i < 100; i++) {
        String large = "x".repeat(i * 1_000) + ".";
        write(client.out, large);
        assertThat(until(client.in, ".")).isEqualTo(large);
      }
      write(client.out, "end.");
      assertThat(client.all()).isEmpty();
    }
  }

  @Test
  void siteLearnsThatTheClientOfAWebSocketIsGone() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    origin.on(
        "/left",
        (head, in, out) -> {
          write(
              out,
              "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                  + "Connection: Upgrade\r\n\r\n");
          seen.add("rest " + new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
        });
    try (Client client = new Client()) {
      write(client.out, HANDSHAKE.formatted("/left"));
      assertThat(head(client.in)).startsWith("HTTP/1.1 101");
      write(client.out, "bye");
    }

    assertThat(seen.take()).isEqualTo("rest bye");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno",
        "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 403 Forbidden\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n1\r\nn\r\n1\r\no\r\n0\r\n\r\n",
        "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nno"
      })
  void webSocketThatTheSiteRefusesHasItsAnswer(String refusal) throws IOException {
    origin.on("/refused", (head, in, out) -> write(out, refusal));
    try (Client client = new Client()) {
      write(client.out, HANDSHAKE.formatted("/refused"));
      // The connection goes on.
      write(client.out, "GET /block HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n");
      String answers = client.all();

      assertThat(answers)
          .matches("(?s)(HTTP/1.1 103 Early Hints\r\n.*)?HTTP/1.1 403.*")
          .doesNotContainIgnoringCase("websocket");
      assertThat(answers.split("HTTP/1.1 403", -1)).hasSize(3);
      assertThat(answers).containsPattern("\r\n\r\n(no|2\r\nno\r\n0|1\r\nn\r\n1\r\no\r\n0)");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 101", "nonsense\r\n\r\n"})
  void webSocketOfASiteThatDoesNotAnswerIsABadGateway(String said) throws IOException {
    origin.on("/silent", (head, in, out) -> write(out, said));
    try (Client client = new Client()) {
      write(client.out, HANDSHAKE.formatted("/silent"));

      assertThat(head(client.in)).startsWith("HTTP/1.1 502");
    }
  }

  @Test
  void webSocketWaitsForNoPages() throws Exception {
    int pages = 256; // all connections of the proxy to the origin
    CountDownLatch asked = new CountDownLatch(pages);
    CountDownLatch over = new CountDownLatch(1);
    origin.on(
        "/slow",
        (head, in, out) -> {
          asked.countDown();
          awaitUnchecked(over);
        });
    origin.on(
        "/soon",
        (head, in, out) ->
            write(
                out,
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                    + "Connection: Upgrade\r\n\r\n"));
    List<Client> waiting = new ArrayList<>();
    try (Client client = new Client()) {
      for (int i = 0; i < pages; i++) {
        Client page = new Client();
        waiting.add(page);
        write(page.out, "GET /slow HTTP/1.1\r\nHost: example.com\r\n\r\n");
      }
      asked.await();
      write(client.out, HANDSHAKE.formatted("/soon"));

      assertThat(head(client.in)).startsWith("HTTP/1.1 101");
    } finally {
      over.countDown();
      for (Client page : waiting) {
        page.close();
      }
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void webSocketThatTheFirewallRefusesNeverReachesTheSite() throws IOException {
    try (Client client = new Client()) {
      write(client.out, HANDSHAKE.formatted("/block"));

      assertThat(head(client.in)).startsWith("HTTP/1.1 403");
    }
  }
}
