package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The console as a servlet of an application that has others. */
class ConsoleServletTest {

  private static final String TOKEN = "viewer-viewer-viewer-viewer";
  private static final int THREADS = 40;

  private final Semaphore begun = new Semaphore(0);
  private final CountDownLatch slow = new CountDownLatch(1);

  /** Does not follow redirects. */
  private final HttpClient client = HttpClient.newHttpClient();

  private Server server;
  private URI address;

  /** A servlet of the application. */
  private static final class Work extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      response.setStatus(204);
    }
  }

  /** As the filter of a framework, it leaves the headers as they came. */
  private static final class Forwarded extends HttpServletRequestWrapper {

    Forwarded(HttpServletRequest request) {
      super(request);
    }

    @Override
    public String getScheme() {
      return "https";
    }

    @Override
    public String getServerName() {
      return getHeader("X-Forwarded-Host");
    }

    @Override
    public int getServerPort() {
      return 443;
    }
  }

  @BeforeEach
  void open() throws Exception {
    ConsoleServlet console =
        new ConsoleServlet(
            (request, answers) -> {
              if (request.verb().equals("executions")) {
                begun.release();
                try {
                  slow.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }
              throw new OperatorException(Reason.FAILED, "nothing here");
            },
            ConsoleOptions.DEFAULT.withToken(ConsoleToken.of(ConsoleRole.VIEWER, TOKEN)));
    server = new Server(new QueuedThreadPool(THREADS));
    ServerConnector connector = new ServerConnector(server, 1, 1);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/shop");
    context.addServlet(new ServletHolder(console), "/console/*");
    context.addServlet(new ServletHolder(new Work()), "/work");
    context.addFilter(
        (request, response, chain) ->
            chain.doFilter(
                request instanceof HttpServletRequest received
                        && received.getHeader("X-Forwarded-Host") != null
                    ? new Forwarded(received)
                    : request,
                response),
        "/*",
        EnumSet.of(DispatcherType.REQUEST));
    server.setHandler(context);
    server.start();
    address = URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/shop/");
  }

  @AfterEach
  void close() throws Exception {
    slow.countDown();
    server.stop();
  }

  private HttpResponse<String> entered(String to) throws Exception {
    HttpRequest login =
        new Browser(address).request("console/login", Map.of("token", TOKEN, "to", to)).build();
    return client.send(login, BodyHandlers.ofString());
  }

  @Test
  void slowPagesLeaveThreadsToTheApplication() throws Exception {
    String cookie = entered("/").headers().firstValue("Set-Cookie").orElseThrow();
    HttpRequest page =
        HttpRequest.newBuilder(address.resolve("console/activity"))
            .header("Cookie", cookie.replaceAll(";.*", ""))
            .build();
    List<CompletableFuture<HttpResponse<String>>> pages = new ArrayList<>();
    for (int each = 0; each < 3 * THREADS; each++) {
      pages.add(client.sendAsync(page, BodyHandlers.ofString()));
    }
    begun.acquire();

    HttpRequest work = HttpRequest.newBuilder(address.resolve("work")).build();
    assertThat(client.send(work, BodyHandlers.ofString()).statusCode()).isEqualTo(204);
    assertThat(slow.getCount()).isEqualTo(1);
    assertThat(CompletableFuture.anyOf(pages.toArray(CompletableFuture[]::new)).get())
        .isInstanceOfSatisfying(
            HttpResponse.class, answer -> assertThat(answer.statusCode()).isEqualTo(503));
    slow.countDown();
    assertThat(pages).allMatch(each -> List.of(409, 503).contains(status(each)));
    assertThat(pages).anyMatch(each -> status(each) == 409);
  }

  private static int status(CompletableFuture<HttpResponse<String>> page) {
    try {
      return page.get().statusCode();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "shop.example.com, https://shop.example.com, 303",
    "shop.example.com, http://shop.example.com, 403",
    "shop.example.com, https://shop.example.com:444, 403",
    "shop.example.com, https://attacker.example, 403",
    "shop.example.com, null, 403",
    "[2001:db8::1], https://[2001:db8::1], 303",
    "2001:db8::1, https://[2001:db8::1], 303"
  })
  void behindAProxyTheOriginIsWhatBrowsersSee(String host, String origin, int status)
      throws Exception {
    HttpRequest login =
        new Browser(address)
            .request("console/login", Map.of("token", TOKEN))
            .header("X-Forwarded-Host", host)
            .header("Origin", origin)
            .build();

    assertThat(client.send(login, BodyHandlers.ofString()).statusCode()).isEqualTo(status);
  }

  @Test
  void cookieIsForTheConsoleAlone() throws Exception {
    assertThat(entered("/").headers().firstValue("Set-Cookie").orElseThrow())
        .contains("; Path=/shop/console/; HttpOnly; SameSite=Strict");
  }

  @ParameterizedTest
  @CsvSource({
    "/object?namespace=a&object=b, /object?namespace=a&object=b",
    "/journal, /journal",
    "/objects?prefix=%0d%0aX:y, /objects?prefix=%0d%0aX:y",
    "/../work, /",
    "/%2e%2e/work, /",
    "/.%2E/work, /",
    "//attacker.example, /",
    "/\\attacker.example, /",
    "/object/../../work, /",
    "https://attacker.example, /",
    "javascript:alert(1), /",
    "/object/act?action=purge, /object/act?action=purge",
    "'/objects?prefix=\r\nSet-Cookie: a=b', /",
    "/objects?prefix=\u010d\u010a, /",
    "/no/such/page, /",
    "/assets/../../work, /",
    "/logout, /"
  })
  void loginLeadsToPagesOfTheConsoleAlone(String to, String expected) throws Exception {
    HttpResponse<String> in = entered(to);

    assertThat(in.statusCode()).isEqualTo(303);
    assertThat(in.headers().allValues("Location")).containsExactly("/shop/console" + expected);
    assertThat(in.headers().allValues("Set-Cookie")).hasSize(1);
  }
}
