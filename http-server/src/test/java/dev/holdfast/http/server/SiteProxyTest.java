package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.server.site.SiteProxy;
import dev.holdfast.http.site.SiteOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A site behind the proxy, asked byte by byte. */
@TestInstance(Lifecycle.PER_CLASS)
class SiteProxyTest {

  private static final String END = "\r\nConnection: close\r\n\r\n";

  @TempDir private static Path directory;

  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private final List<Decision> decisions = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch never = new CountDownLatch(1);
  private ServedApi api;
  private HttpServer origin;
  private SiteProxy site;

  /** Trusts the address from which the tests ask. */
  private SiteProxy trusting;

  @BeforeAll
  void open() throws IOException {
    api = new ServedApi(directory);
    origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    origin.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    origin.createContext("/", this::answer);
    origin.start();
    site = start(origin.getAddress().getPort(), Duration.ofSeconds(20));
    trusting =
        start(
            origin.getAddress().getPort(),
            Duration.ofSeconds(20),
            SiteOptions.DEFAULT.withTrustedProxies(List.of("127.0.0.1", "10.0.0.0/8")));
    rules();
  }

  private SiteProxy start(int originPort, Duration slow) throws IOException {
    return start(originPort, slow, SiteOptions.DEFAULT.withTrustedProxies(List.of("127.0.0.2")));
  }

  private SiteProxy start(int originPort, Duration slow, SiteOptions given) throws IOException {
    return start(InetAddress.getLoopbackAddress(), originPort, slow, given);
  }

  private SiteProxy start(InetAddress address, int originPort, Duration slow, SiteOptions given)
      throws IOException {
    SiteOptions options =
        given
            .withDecisions(decisions::add)
            .withChallenge(
                (request, decision) -> {
                  if (request.header("cookie").contains("broken=1")) {
                    throw new IllegalStateException("the callback is broken");
                  }
                  return request.header("cookie").contains("solved=1")
                      ? Optional.empty()
                      : Optional.of(new ApiResponse(403, Map.of(), "solve " + decision.action()));
                });
    return SiteProxy.start(
        api.api.withReportBase(""),
        options,
        new InetSocketAddress(address, 0),
        URI.create("http://127.0.0.1:" + originPort),
        slow,
        null);
  }

  private void rules() {
    String rule = "{\"filter\":{\"expression\":\"%s\"},\"action\":\"%s\"}";
    api.post(
            "/firewall/rules",
            "["
                + rule.formatted("http.request.uri.path eq \\\"/block\\\"", "block")
                + ","
                + rule.formatted("http.request.uri.path eq \\\"/challenge\\\"", "js_challenge")
                + ","
                + rule.formatted("ssl and http.request.uri.path eq \\\"/tls\\\"", "block")
                + ","
                + rule.formatted("http.request.version eq \\\"HTTP/1.0\\\"", "log")
                + ","
                + rule.formatted("ip.src eq 192.0.2.7", "block")
                + ","
                + rule.formatted("http.request.body.raw contains \\\"evil\\\"", "block")
                + "]")
        .isOk();
    api.put("/page_monitor", "{\"enabled\":true}").isOk();
  }

  @AfterAll
  void close() {
    never.countDown();
    site.close();
    trusting.close();
    origin.stop(0);
    api.close();
  }

  @BeforeEach
  void forget() {
    seen.clear();
    decisions.clear();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getRawPath();
      byte[] body = exchange.getRequestBody().readAllBytes();
      seen.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
      if (path.equals("/slow")) {
        await();
      }
      exchange.getResponseHeaders().add("Content-Type", path.equals("/data") ? "a/b" : "text/html");
      if (path.equals("/login")) {
        exchange.getResponseHeaders().add("Set-Cookie", "sid=1; Secure");
      }
      exchange.getResponseHeaders().add("X-Host", exchange.getRequestHeaders().getFirst("Host"));
      exchange
          .getResponseHeaders()
          .add("X-For", String.valueOf(exchange.getRequestHeaders().get("X-Forwarded-For")));
      exchange
          .getResponseHeaders()
          .add("X-Proto", exchange.getRequestHeaders().getFirst("X-Forwarded-Proto"));
      exchange
          .getResponseHeaders()
          .add("X-Claims", String.join(" ", claims(exchange.getRequestHeaders().keySet())));
      exchange
          .getResponseHeaders()
          .add("X-Hop", String.valueOf(exchange.getRequestHeaders().getFirst("Keep-Alive")));
      byte[] answer = ("got " + body.length).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private static List<String> claims(Set<String> names) {
    return names.stream()
        .map(name -> name.toLowerCase(Locale.ROOT))
        .filter(name -> name.startsWith("x-") || name.startsWith("forwarded"))
        .sorted()
        .toList();
  }

  private void await() {
    try {
      never.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Sends bytes and returns everything that comes back until the connection ends. */
  private static String send(SiteProxy proxy, String request) {
    try (Socket socket = new Socket(proxy.address().getAddress(), proxy.address().getPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String send(String request) {
    return send(site, request);
  }

  @Test
  void requestsThatPassReachTheOriginWithTheirHost() {
    String answer =
        send(
            "GET /a%40b;c?x=1 HTTP/1.1\r\nHost: www.example.com\r\nKeep-Alive: 5\r\n"
                + "X-Forwarded-For: 192.0.2.7\r\nConnection: Keep-Alive, close\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 200").endsWith("got 0");
    assertThat(answer).containsIgnoringCase("X-Host: www.example.com");
    assertThat(answer).containsIgnoringCase("X-Hop: null");
    assertThat(answer).containsIgnoringCase("X-For: [127.0.0.1]");
    assertThat(seen).hasSize(1);
    assertThat(seen.getFirst()).startsWith("GET /a%40b;c?x=1");
  }

  @Test
  void rulesKnowTheVersion() {
    assertThat(send("GET / HTTP/1.1\r\nHost: example.com" + END)).startsWith("HTTP/1.1 200");
    assertThat(decisions).isEmpty();

    assertThat(send("GET / HTTP/1.0\r\nHost: example.com" + END)).startsWith("HTTP/1.1 200");
    assertThat(decisions).hasSize(1);
  }

  @Test
  void blockedRequestsAndHostsWithoutAZoneNeverReachTheOrigin() {
    assertThat(send("GET /block HTTP/1.1\r\nHost: example.com" + END)).startsWith("HTTP/1.1 403");
    assertThat(send("GET / HTTP/1.1\r\nHost: other.example" + END)).startsWith("HTTP/1.1 421");
    assertThat(send("GET /block HTTP/1.0\r\nHost: example.com" + END)).startsWith("HTTP/1.1 403");

    assertThat(seen).isEmpty();
    assertThat(decisions).hasSize(2);
    assertThat(decisions.getFirst().ruleId()).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/%62lock", "//block", "/./block", "/x/../block", "/x/%2e%2e/block", "\\block"})
  void pathThatSitesReadAsABlockedOneIsBlocked(String path) {
    assertThat(send("GET " + path.replace("\\", "/\\") + " HTTP/1.1\r\nHost: example.com" + END))
        .startsWith("HTTP/1.1 403");
    assertThat(seen).isEmpty();
  }

  @Test
  void escapedSlashesPassByOption() throws IOException {
    String request = "GET /a%2fb HTTP/1.1\r\nHost: example.com" + END;
    try (SiteProxy open =
        start(
            origin.getAddress().getPort(),
            Duration.ofSeconds(20),
            SiteOptions.DEFAULT.withEscapedSlashes(true))) {
      assertThat(send(request)).startsWith("HTTP/1.1 400");
      assertThat(send(open, request)).startsWith("HTTP/1.1 200");
    }
    assertThat(seen).containsExactly("GET /a%2Fb");
  }

  @Test
  void challengesAreHandedToTheirCallback() {
    assertThat(send("GET /challenge HTTP/1.1\r\nHost: example.com" + END))
        .startsWith("HTTP/1.1 403")
        .endsWith("solve JS_CHALLENGE");
    assertThat(send("GET /challenge HTTP/1.1\r\nHost: example.com\r\nCookie: solved=1" + END))
        .startsWith("HTTP/1.1 200");
  }

  @Test
  void failureOfTheSitesOwnCodeIsLoggedAndNotShown() {
    Logger log = Logger.getLogger("dev.holdfast.http");
    List<LogRecord> logged = new CopyOnWriteArrayList<>();
    Handler keeper =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            logged.add(entry);
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    log.addHandler(keeper);
    try {
      assertThat(send("GET /challenge HTTP/1.1\r\nHost: example.com\r\nCookie: broken=1" + END))
          .startsWith("HTTP/1.1 500")
          .doesNotContain("callback");
    } finally {
      log.removeHandler(keeper);
    }
    assertThat(logged)
        .filteredOn(entry -> entry.getLevel() == Level.SEVERE)
        .singleElement()
        .satisfies(
            entry -> {
              assertThat(entry.getMessage()).contains("/challenge");
              assertThat(entry.getThrown()).hasMessageContaining("the callback is broken");
            });
  }

  @Test
  void bodiesAreReadByRulesAndReachTheOriginWhole() {
    String head = "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: %d" + END + "%s";
    String large = "x".repeat(1 << 20);

    assertThat(send(head.formatted(9, "some evil"))).startsWith("HTTP/1.1 403");
    assertThat(send(head.formatted(large.length(), large))).endsWith("got " + large.length());
    assertThat(send(head.formatted(0, ""))).endsWith("got 0");
    assertThat(
            send(
                "POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked"
                    + END
                    + "5\r\nhello\r\n0\r\n\r\n"))
        .contains("got 5");
  }

  @Test
  void rulesSeeAsMuchOfABodyAsTheOptionsSay() throws IOException {
    String head = "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: %d" + END + "%s";
    try (SiteProxy eight =
        start(
            origin.getAddress().getPort(),
            Duration.ofSeconds(20),
            SiteOptions.DEFAULT.withBodyBytesMax(8))) {
      assertThat(send(eight, head.formatted(8, "...+evil"))).startsWith("HTTP/1.1 403");
      assertThat(send(eight, head.formatted(9, "....+evil"))).endsWith("got 9");
    }
  }

  @Test
  void pagesGetTheHeadersOfTheMonitorAndReportsAreTaken() {
    String page = send("GET /page HTTP/1.1\r\nHost: example.com" + END);
    String data = send("GET /data HTTP/1.1\r\nHost: example.com" + END);

    assertThat(page).containsIgnoringCase("Content-Security-Policy-Report-Only: script-src 'none'");
    assertThat(data).doesNotContainIgnoringCase("Content-Security-Policy");
    String address = page.substring(page.indexOf("/cdn-cgi/")).split("[;\\s]", 2)[0];
    String report =
        "{\"csp-report\":{\"document-uri\":\"http://example.com/page\","
            + "\"blocked-uri\":\"https://cdn.example/a.js\",\"effective-directive\":\"script-src\"}}";
    String sent =
        send(
            "POST %s HTTP/1.1\r\nHost: example.com\r\nContent-Length: %d%s%s"
                .formatted(address, report.length(), END, report));

    assertThat(sent).startsWith("HTTP/1.1 204");
    assertThat(api.get("/page_monitor/scripts?status=infrequent").isOk().result()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          https                        | 403
          HTTPS                        | 403
          http, https                  | 403
          http~X-Forwarded-Proto:https | 403
          http                         | 200
          https, http                  | 200
          https, wss                   | 200
          https:                       | 200
          ''                           | 200
          """)
  void schemeIsThatWhichATrustedProxyForwards(String forwarded, int status) {
    String head = "GET /tls HTTP/1.1\r\nHost: example.com\r\nX-Forwarded-Proto: ";
    String request = head + forwarded.replace("~", "\r\n") + END;

    assertThat(send(trusting, request)).startsWith("HTTP/1.1 " + status);
    assertThat(send(request)).startsWith("HTTP/1.1 200");
  }

  @Test
  void originSeesTheSchemeThatTheFirewallSees() {
    String head = "GET / HTTP/1.1\r\nHost: example.com\r\nX-Forwarded-Proto: ";

    assertThat(send(trusting, head + "http, https" + END)).containsIgnoringCase("X-Proto: https\r");
    assertThat(send(trusting, head + "http\r\nX-Forwarded-Proto: https" + END))
        .containsIgnoringCase("X-Proto: https\r");
    assertThat(send(head + "https" + END)).containsIgnoringCase("X-Proto: http\r");
    for (String malformed : List.of("https,", "\"https\"", "https, ftp")) {
      assertThat(send(trusting, head + malformed + END)).containsIgnoringCase("X-Proto: http\r");
    }
  }

  @Test
  void claimsOfAClientAboutTheWayDoNotReachTheOrigin() {
    String request =
        "GET / HTTP/1.1\r\nHost: example.com\r\nX-Forwarded-Prefix: /a\r\nX-Forwarded-Ssl: on"
            + "\r\nX-Original-URL: /block\r\nX-Rewrite-Url: /block\r\nX-Real-IP: 192.0.2.1"
            + "\r\nForwarded: for=192.0.2.1"
            + END;

    assertThat(send(request)).containsIgnoringCase("X-Claims: x-forwarded-for x-forwarded-proto\r");
    assertThat(send(trusting, request))
        .containsIgnoringCase(
            "X-Claims: forwarded x-forwarded-for x-forwarded-prefix x-forwarded-proto"
                + " x-forwarded-ssl x-original-url x-real-ip x-rewrite-url\r");
  }

  @Test
  void pagesBehindATrustedProxyWithTlsReportToItAndShowTheirSecureCookies() {
    String login = "GET /login HTTP/1.1\r\nHost: example.com\r\nX-Forwarded-Proto: https" + END;

    assertThat(send(login)).contains("report-uri http://example.com/");
    assertThat(api.get("/page_monitor/cookies").isOk().result()).isEmpty();
    assertThat(send(trusting, login)).contains("report-uri https://example.com/");
    assertThat(api.get("/page_monitor/cookies").isOk().result()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "'192.0.2.7', 403",
    "'192.0.2.8, 192.0.2.7, 10.1.2.3', 403",
    "'192.0.2.7, 192.0.2.8', 200",
    "'10.1.2.3', 200",
    "'::ffff:192.0.2.7', 403",
    "'192.0.2.7:4711', 403",
    "'[::ffff:192.0.2.7]:4711, 10.1.2.3:80', 403"
  })
  void clientIsThatWhichATrustedProxyForwards(String forwarded, int status) {
    String request = "GET / HTTP/1.1\r\nHost: example.com\r\nX-Forwarded-For: " + forwarded + END;

    assertThat(send(trusting, request)).startsWith("HTTP/1.1 " + status);
    assertThat(send(request)).startsWith("HTTP/1.1 200").containsIgnoringCase("X-For: [127.0.0.1]");
  }

  @Test
  void clientThatATrustedProxyDoesNotNameIsNotTheProxy() {
    assertThat(
            send(trusting, "GET / HTTP/1.1\r\nHost: example.com\r\nX-Forwarded-For: unknown" + END))
        .startsWith("HTTP/1.1 400");
    assertThat(seen).isEmpty();
  }

  @Test
  void proxyOfIpv6IsTrusted() throws IOException {
    InetAddress loopback = InetAddress.ofLiteral("::1");
    assumeTrue(NetworkInterface.getByInetAddress(loopback) != null, "this machine has no IPv6");
    String head = "GET / HTTP/1.1\r\nHost: example.com\r\nX-Forwarded-For: ";
    try (SiteProxy six =
        start(
            loopback,
            origin.getAddress().getPort(),
            Duration.ofSeconds(20),
            SiteOptions.DEFAULT.withTrustedProxies(List.of("::1")))) {
      assertThat(send(six, head + "192.0.2.7" + END)).startsWith("HTTP/1.1 403");
      assertThat(send(six, head + "192.0.2.8" + END))
          .startsWith("HTTP/1.1 200")
          .containsIgnoringCase("X-For: [192.0.2.8, ::1]\r");
    }
  }

  @Test
  void theApiIsNotReachableThroughTheSite() {
    assertThat(
            send(
                "GET /client/v4/zones HTTP/1.1\r\nHost: example.com\r\nAuthorization: Bearer "
                    + api.token
                    + END))
        .endsWith("got 0");
    assertThat(seen).containsExactly("GET /client/v4/zones");
  }

  @Test
  void anOriginThatIsDownOrSlowIsAnswered() throws IOException {
    int port;
    try (ServerSocket gone = new ServerSocket(0)) {
      port = gone.getLocalPort();
    }
    try (SiteProxy down = start(port, Duration.ofSeconds(20));
        SiteProxy slow = start(origin.getAddress().getPort(), Duration.ofMillis(300))) {
      long calls = api.calls.get();
      assertThat(send(down, "GET / HTTP/1.1\r\nHost: example.com" + END))
          .startsWith("HTTP/1.1 502");
      assertThat(send(slow, "GET /slow HTTP/1.1\r\nHost: example.com" + END))
          .startsWith("HTTP/1.1 504");
      assertThat(api.calls).hasValue(calls);
    }
  }

  /** The attack set of requests that hide another request, its length or its host. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST / HTTP/1.1~Host: example.com~Content-Length: 5~Transfer-Encoding: chunked~~0~~GET"
            + " /block HTTP/1.1~Host: example.com~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~Content-Length: 5~~0~~",
        "POST / HTTP/1.1~Host: example.com~Content-Length: 5~Content-Length: 6~~12345",
        "POST / HTTP/1.1~Host: example.com~Content-Length: 5, 6~~12345",
        "POST / HTTP/1.1~Host: example.com~Content-Length: +5~~12345",
        "POST / HTTP/1.1~Host: example.com~Content-Length: -5~~12345",
        "POST / HTTP/1.1~Host: example.com~Content-Length: 0x5~~12345",
        "POST / HTTP/1.1~Host: example.com~Content-Length: 5 5~~12345",
        "POST / HTTP/1.1~Host: example.com~Content-Length: 99999999999999999999~~12345",
        "POST / HTTP/1.1~Host: example.com~Content-Length : 5~~12345",
        "POST / HTTP/1.1~Host: example.com~Content-Length\u00a0: 5~~12345",
        "POST / HTTP/1.1~Host: example.com~ Content-Length: 5~~12345",
        "POST / HTTP/1.1~ Host: example.com~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding : chunked~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: xchunked~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked, identity~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: identity, chunked~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~Transfer-Encoding:"
            + " identity~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: identity~Transfer-Encoding:"
            + " chunked~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: \u000bchunked~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: 'chunked'~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding:~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding:~ chunked~~0~~",
        "POST / HTTP/1.0~Host: example.com~Transfer-Encoding: chunked~~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~~5;~hello~x~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~~+5~hello~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~~0x5~hello~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~~-5~hello~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~~FFFFFFFFFFFFFFFFF~hello~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~~5\nhello~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~~5~helloGET~0~~",
        "POST / HTTP/1.1~Host: example.com~Transfer-Encoding: chunked~~5~hel",
        "GET / HTTP/1.1~Host: example.com~Host: other.example~~",
        "GET / HTTP/1.1~Host: example.com, other.example~~",
        "GET / HTTP/1.1~Host : example.com~~",
        "GET / HTTP/1.1~Host: example.com/block~~",
        "GET / HTTP/1.1~Host: user@example.com~~",
        "GET / HTTP/1.1~Host:~~",
        "GET / HTTP/1.1~Host: example.com~X-A: 1~ folded: 2~~",
        "GET / HTTP/1.1~Host: example.com~X-A: 1~\tfolded: 2~~",
        "GET / HTTP/1.1~Host: example.com~X-A: 1\u00002~~",
        "GET / HTTP/1.1~Host: example.com~X-A: 1\rContent-Length: 5~~",
        "GET / HTTP/1.1~Host: example.com~X A: 1~~",
        "GET / HTTP/1.1~Host: example.com~: 1~~",
        "GET / HTTP/1.1~Host: example.com~no colon~~",
        "GET / HTTP/1.1\nHost: example.com\n\n",
        "GET / HTTP/1.1~Host: example.com\nX-A: 1~~",
        "GET / HTTP/1.1~~",
        "GET / HTTP/9.9~Host: example.com~~",
        "GET / / HTTP/1.1~Host: example.com~~",
        "GET\t/ HTTP/1.1~Host: example.com~~",
        "GET /\u0000 HTTP/1.1~Host: example.com~~",
        "G(T / HTTP/1.1~Host: example.com~~",
        "CONNECT example.com:443 HTTP/1.1~Host: example.com~~",
        "GET http://other.example/ HTTP/1.1~Host: example.com~~",
        "GET http:///block HTTP/1.1~Host: example.com~~",
        "GET https://example.com/ HTTP/1.1~Host: example.com~~",
        "GET https://example.com/ HTTP/1.0~Host: example.com~~",
        "GET block HTTP/1.1~Host: example.com~~",
        "GET /\u00ff HTTP/1.1~Host: example.com~~",
        "GET / HTTP/1.1~Host: example.com\\block~~",
        "GET / HTTP/1.1~Host: example.com~X_Forwarded_For: 192.0.2.1~~",
        "GET / HTTP/1.1~Host: example.com~Cookie: a=1~Transfer_Encoding: chunked~~"
      })
  void whatTwoServersWouldReadDifferentlyIsRefused(String lines) {
    String answer = send(lines.replace("~", "\r\n"));

    assertThat(answer).matches("(?s)HTTP/1.1 (4\\d\\d|501|505) .*");
    assertThat(answer).doesNotContain("got ");
    assertThat(seen).isEmpty();
  }

  @Test
  void targetThatNamesAnotherHostIsDecidedByTheHostThatTheOriginSees() {
    String answer = send("GET http://example.com/block HTTP/1.1\r\nHost: other.example" + END);

    assertThat(answer).matches("(?s)HTTP/1.1 4\\d\\d .*");
    assertThat(seen).isEmpty();
  }
}
