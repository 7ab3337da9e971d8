package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.object.Plan;
import dev.holdfast.http.site.FirewallFilter;
import dev.holdfast.http.site.SiteOptions;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter in a container of servlets. */
@TestInstance(Lifecycle.PER_CLASS)
class FirewallFilterTest {

  @TempDir private static Path directory;

  private final HttpClient client = HttpClient.newHttpClient();
  private ApiFixture api;
  private Server server;

  /** Trusts the address from which the tests ask. */
  private Server trusting;

  /**
   * Sets a cookie that has the name of the path, and answers with a redirect, an error, an
   * exception, or the parameter and the length of the body that it could read.
   */
  private static final class Application extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      String path = request.getRequestURI();
      if (path.startsWith("/later") && request.getDispatcherType() == DispatcherType.REQUEST) {
        answerLater(path, request.startAsync(), response);
        return;
      }
      if (path.length() > 1) {
        response.addCookie(new Cookie(path.substring(1), "1"));
      }
      if (path.equals("/redirect")) {
        response.sendRedirect("/next");
        return;
      }
      if (path.equals("/redirect61")) {
        // What sendRedirect(String, int, boolean) of Servlet 6.1 does in a wrapper.
        HttpServletResponseWrapper wrapper = (HttpServletResponseWrapper) response;
        ((HttpServletResponse) wrapper.getResponse()).sendRedirect("/next");
        return;
      }
      if (path.equals("/thrown")) {
        response.setContentType("application/json");
        throw new IllegalStateException("the application fails");
      }
      if (path.equals("/missing")) {
        response.sendError(404);
        return;
      }
      if (path.equals("/broken")) {
        response.setContentType("application/json");
        response.sendError(500, "it is broken");
        return;
      }
      response.setContentType("text/html");
      String name = request.getParameter("name");
      int length = request.getInputStream().readAllBytes().length;
      String coding =
          path.equals("/coded")
              ? " " + request.getHeader("Content-Encoding") + " " + request.getContentLength()
              : "";
      response.getWriter().print(name + " " + length + coding);
    }

    private static void answerLater(String path, AsyncContext later, HttpServletResponse given) {
      HttpServletResponse response =
          path.equals("/laterGiven") ? given : (HttpServletResponse) later.getResponse();
      Cookie cookie = new Cookie(path.substring(1), "1");
      if (path.equals("/laterNever")) {
        response.addCookie(cookie);
        later.setTimeout(1_000); // a container of Jetty loses one that ends at once
        return;
      }
      if (path.equals("/laterThrown")) {
        response.addCookie(cookie);
        throw new IllegalStateException("the application fails");
      }
      later.start(
          () -> {
            if (path.startsWith("/laterDispatched")) {
              later.dispatch();
              return;
            }
            response.addCookie(cookie);
            try {
              if (path.equals("/laterEmpty")) {
                response.setStatus(204);
              } else {
                response.setContentType("text/html");
                response.getWriter().print("later");
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            later.complete();
          });
    }
  }

  @BeforeAll
  void open() throws Exception {
    api = new ApiFixture(directory);
    api.zone = api.api.operator().createZone("localhost", Plan.PRO);
    rule("ssl and http.request.uri.path eq \\\"/tls\\\"", "block");
    rule("ip.src eq 192.0.2.7", "block");
    rule("http.request.uri.path eq \\\"/challenge\\\"", "js_challenge");
    rule("http.request.body.truncated and http.request.uri.path eq \\\"/whole\\\"", "block");
    api.put("/page_monitor", "{\"enabled\":true}").isOk();
    server = start(EnumSet.of(DispatcherType.REQUEST), SiteOptions.DEFAULT);
    EnumSet<DispatcherType> twice = EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC);
    trusting = start(twice, SiteOptions.DEFAULT.withTrustedProxies(List.of("127.0.0.0/8", "::1")));
  }

  private void rule(String expression, String action) {
    api.post(
            "/firewall/rules",
            "[{\"filter\":{\"expression\":\"%s\"},\"action\":\"%s\"}]"
                .formatted(expression, action))
        .isOk();
  }

  private Server start(EnumSet<DispatcherType> dispatches, SiteOptions options) throws Exception {
    SiteOptions challenging =
        options.withChallenge(
            (request, decision) ->
                request.header("cookie").contains("solved=1")
                    ? Optional.empty()
                    : Optional.of(new ApiResponse(403, Map.of(), "solve " + decision.action())));
    ServletContextHandler context = new ServletContextHandler("/");
    FilterHolder filter =
        new FilterHolder(new FirewallFilter(api.api.withReportBase(""), challenging));
    filter.setAsyncSupported(true);
    context.addFilter(filter, "/*", dispatches);
    ServletHolder application = new ServletHolder(new Application());
    application.setAsyncSupported(true);
    context.addServlet(application, "/*");
    Server started = new Server(0);
    started.setHandler(context);
    started.start();
    return started;
  }

  @AfterAll
  void close() throws Exception {
    client.shutdownNow();
    server.stop();
    trusting.stop();
    api.close();
  }

  private HttpResponse<String> send(String host, String target, String type, String body)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(address(server, host, target));
    if (!body.isEmpty()) {
      request.header("Content-Type", type).POST(BodyPublishers.ofString(body));
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /** Sends a request with one more header. */
  private HttpResponse<String> get(Server to, String target, String header, String value)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(address(to, "localhost", target)).header(header, value).build(),
        BodyHandlers.ofString());
  }

  private static URI address(Server to, String host, String target) {
    return URI.create("http://" + host + ":" + port(to) + target);
  }

  private static int port(Server of) {
    return ((ServerConnector) of.getConnectors()[0]).getLocalPort();
  }

  private List<String> cookies() {
    List<String> names = new ArrayList<>();
    api.get("/page_monitor/cookies?per_page=100") // a page has 15 otherwise, and the tests set more
        .isOk()
        .result()
        .forEach(cookie -> names.add(cookie.get("name").stringValue()));
    return names;
  }

  @Test
  void attacksAreRefusedAndTheRestReachesTheApplication() throws Exception {
    assertThat(send("localhost", "/?name=%3Cscript%3Ealert(1)", "", "").statusCode())
        .isEqualTo(403);
    assertThat(send("localhost", "/?name=ann", "", "").body()).isEqualTo("ann 0");
    assertThat(send("127.0.0.1", "/?name=ann", "", "").statusCode()).isEqualTo(421);
  }

  /** Jetty refuses such a host itself; other containers pass it on. */
  @ParameterizedTest
  @ValueSource(
      strings = {"localhost/?", "localhost#", "localhost\\..\\", "a@localhost", "", "localhost"})
  void hostThatHidesThePathIsRefused(String host) throws Exception {
    rule(
        "http.request.version eq \\\"HTTP/2\\\" and http.request.uri.path eq \\\"/hidden%s\\\""
            .formatted(host.hashCode()),
        "block");
    Map<String, Object> values =
        Map.of(
            "getMethod",
            "GET",
            "getDispatcherType",
            DispatcherType.REQUEST,
            "getHeader",
            host,
            "getRequestURI",
            (host.isEmpty() ? "/localhost" : "") + "/hidden" + host.hashCode(),
            "getRemoteAddr",
            "192.0.2.1",
            "getContentLengthLong",
            0L,
            "isSecure",
            false,
            "getProtocol",
            "HTTP/2.0");
    AtomicInteger status = new AtomicInteger();
    var request =
        of(
            HttpServletRequest.class,
            (name, arguments) ->
                name.equals("getHeaderNames") ? Collections.emptyEnumeration() : values.get(name));
    var response =
        of(
            HttpServletResponse.class,
            (name, arguments) -> {
              if (name.equals("setStatus")) {
                status.set((int) arguments[0]);
              }
              return switch (name) {
                case "getOutputStream" -> new Discarded();
                case "getHeaderNames" -> List.of();
                default -> null;
              };
            });

    new FirewallFilter(api.api, SiteOptions.DEFAULT)
        .doFilter(request, response, (passed, page) -> status.set(200));

    assertThat(status).hasValue(host.equals("localhost") ? 403 : 400);
  }

  private static <T> T of(Class<T> type, BiFunction<String, Object[], @Nullable Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answer.apply(method.getName(), arguments)));
  }

  private static final class Discarded extends ServletOutputStream {
    @Override
    public void write(int value) {}

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void setWriteListener(WriteListener listener) {}
  }

  @Test
  void bodiesAreReadByRulesAndAgainByTheApplication() throws Exception {
    String form = "application/x-www-form-urlencoded";
    String large = "x".repeat(300_000);

    assertThat(send("localhost", "/", form, "name=1%27+or+%271%27%3D%271").statusCode())
        .isEqualTo(403);
    assertThat(send("localhost", "/", form, "a=b&name=O%27Neil+%C3%A9").body())
        .isEqualTo("O'Neil é 0");
    assertThat(send("localhost", "/?name=q", "application/json", "\"" + large + "\"").body())
        .isEqualTo("q 300002");
  }

  @Test
  void applicationGetsTheDecodedBodyThatRulesHaveJudged() throws Exception {
    rule("http.request.body.raw contains \\\"evil\\\"", "block");
    HttpResponse<String> passed = coded("name=Ada");

    assertThat(passed.body()).isEqualTo("Ada 0 null 8");
    assertThat(coded("name=evil").statusCode()).isEqualTo(403);
  }

  private HttpResponse<String> coded(String form) throws Exception {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(body)) {
      out.write(form.getBytes(StandardCharsets.UTF_8));
    }
    HttpRequest request =
        HttpRequest.newBuilder(address(server, "localhost", "/coded"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Content-Encoding", "gzip")
            .POST(BodyPublishers.ofByteArray(body.toByteArray()))
            .build();
    return client.send(request, BodyHandlers.ofString());
  }

  @Test
  void multipartBodiesAreCutForRulesAndWholeForTheApplication() throws Exception {
    String type = "Multipart/Form-Data; boundary=b";
    String body = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n";

    assertThat(send("localhost", "/?name=ann", type, body).body())
        .isEqualTo("ann " + body.length());
    assertThat(send("localhost", "/whole?name=ann", type, body).statusCode()).isEqualTo(403);
    assertThat(send("localhost", "/whole?name=ann", "text/plain", body).body())
        .isEqualTo("ann " + body.length());
  }

  /** The container has a byte in each character, and the client has sent UTF-8. */
  @Test
  void rulesSeeTheTextOfHeadersOutsideAscii() throws Exception {
    rule("http.user_agent contains \\\"böse\\\" and http.cookie contains \\\"küche=日\\\"", "block");

    assertThat(status("User-Agent: böse 1\r\nCookie: küche=日\r\n")).isEqualTo("403");
    assertThat(status("User-Agent: böse 1\r\nCookie: küche=月\r\n")).isEqualTo("200");
  }

  private String status(String headers) throws IOException {
    String head = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(server))) {
      socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return answer.split(" ", 3)[1];
    }
  }

  /**
   * A container ends a connection on which a body is left. A client that is not told so sends its
   * next request there, and cannot know whether it was taken.
   */
  @Test
  void anAnswerBeforeTheEndOfABodySaysThatTheConnectionEnds() throws Exception {
    String head =
        "POST /whole HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
            + "Content-Type: multipart/form-data; boundary=b\r\n\r\n";

    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port(server))) {
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
              .toLowerCase(Locale.ROOT);

      assertThat(answer).startsWith("http/1.1 403 ").contains("\r\nconnection: close\r\n");
    }
  }

  @Test
  void challengesAreHandedToTheirCallback() throws Exception {
    HttpResponse<String> posed = send("localhost", "/challenge", "", "");

    assertThat(posed.statusCode()).isEqualTo(403);
    assertThat(posed.body()).isEqualTo("solve JS_CHALLENGE");
    assertThat(get(server, "/challenge", "Cookie", "solved=1").statusCode()).isEqualTo(200);
  }

  @Test
  void pagesGetTheHeadersOfTheMonitorAndReportsAreTaken() throws Exception {
    String policy =
        send("localhost", "/", "", "")
            .headers()
            .firstValue("content-security-policy-report-only")
            .orElseThrow();
    String report =
        "{\"csp-report\":{\"document-uri\":\"http://localhost/\","
            + "\"blocked-uri\":\"https://cdn.example/a.js\",\"effective-directive\":\"script-src\"}}";

    assertThat(
            send(
                    "localhost",
                    policy.substring(policy.indexOf("/cdn-cgi/")).split("[;\\s]", 2)[0],
                    "application/csp-report",
                    report)
                .statusCode())
        .isEqualTo(204);
    assertThat(api.get("/page_monitor/scripts?status=infrequent").isOk().result()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "/page, 200, 1",
    "/redirect, 302, 0",
    "/redirect61, 302, 0",
    "/missing, 404, 1",
    "/broken, 500, 1",
    "/thrown, 500, 1",
    "/later, 200, 1",
    "/laterGiven, 200, 1",
    "/laterDispatched, 200, 1",
    "/laterEmpty, 204, 0",
    "/laterNever, 500, 1",
    "/laterThrown, 500, 1"
  })
  void cookiesAreNotedAndPagesGetHeadersHoweverTheApplicationAnswers(
      String path, int status, int policies) throws Exception {
    assertThat(cookies()).doesNotContain(path.substring(1));

    HttpResponse<String> answer = send("localhost", path, "", "");

    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("set-cookie")).isPresent();
    assertThat(answer.headers().allValues("content-security-policy-report-only")).hasSize(policies);
    while (!cookies().contains(path.substring(1))) {
      Thread.onSpinWait(); // a redirect of Servlet 6.1 is sent before the filter sees it
    }
  }

  @Test
  void filterThatIsMappedToLaterDispatchesAddsItsHeadersOnce() throws Exception {
    assertThat(get(trusting, "/laterDispatchedAgain", "Accept", "text/html").headers().map())
        .hasEntrySatisfying(
            "content-security-policy-report-only", policies -> assertThat(policies).hasSize(1));
  }

  @Test
  void schemeAndClientAreThoseWhichATrustedProxyForwards() throws Exception {
    String scheme = "X-Forwarded-Proto";
    assertThat(get(trusting, "/tls", scheme, "http, HTTPS").statusCode()).isEqualTo(403);
    assertThat(get(trusting, "/tls", scheme, "https, http").statusCode()).isEqualTo(200);
    assertThat(get(server, "/tls", scheme, "https").statusCode()).isEqualTo(200);
    assertThat(
            get(trusting, "/", scheme, "https")
                .headers()
                .firstValue("content-security-policy-report-only"))
        .hasValueSatisfying(policy -> assertThat(policy).contains("report-uri https://localhost:"));

    assertThat(get(trusting, "/", "X-Forwarded-For", "192.0.2.7").statusCode()).isEqualTo(403);
    assertThat(get(server, "/", "X-Forwarded-For", "192.0.2.7").statusCode()).isEqualTo(200);
  }
}
