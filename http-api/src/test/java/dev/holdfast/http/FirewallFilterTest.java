package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.object.Plan;
import dev.holdfast.http.site.FirewallFilter;
import dev.holdfast.http.site.SiteOptions;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.EnumSet;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** The filter in a container of servlets. */
@TestInstance(Lifecycle.PER_CLASS)
class FirewallFilterTest {

  @TempDir private static Path directory;

  private final HttpClient client = HttpClient.newHttpClient();
  private final Server server = new Server(0);
  private ApiFixture api;
  private String zone;

  /** Answers with the parameter and the length of the body that it could read. */
  private static final class Application extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.setContentType("text/html");
      String name = request.getParameter("name");
      int length = request.getInputStream().readAllBytes().length;
      response.getWriter().print(name + " " + length);
    }
  }

  @BeforeAll
  void open() throws Exception {
    api = new ApiFixture(directory);
    zone = api.api.operator().createZone("localhost", Plan.PRO).id();
    ServletContextHandler context = new ServletContextHandler("/");
    context.addFilter(
        new FilterHolder(new FirewallFilter(api.api, SiteOptions.DEFAULT)),
        "/*",
        EnumSet.of(DispatcherType.REQUEST));
    context.addServlet(new ServletHolder(new Application()), "/*");
    server.setHandler(context);
    server.start();
  }

  @AfterAll
  void close() throws Exception {
    client.shutdownNow();
    server.stop();
    api.close();
  }

  private HttpResponse<String> send(String host, String target, String type, String body)
      throws Exception {
    int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://" + host + ":" + port + target));
    if (!body.isEmpty()) {
      request.header("Content-Type", type).POST(BodyPublishers.ofString(body));
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void attacksAreRefusedAndTheRestReachesTheApplication() throws Exception {
    assertThat(send("localhost", "/?name=%3Cscript%3E", "", "").statusCode()).isEqualTo(403);
    assertThat(send("localhost", "/?name=ann", "", "").body()).isEqualTo("ann 0");
    assertThat(send("127.0.0.1", "/?name=ann", "", "").statusCode()).isEqualTo(421);
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
  void pagesGetTheHeadersOfTheMonitor() throws Exception {
    HttpResponse<String> before = send("localhost", "/", "", "");
    assertThat(before.headers().map()).doesNotContainKey("content-security-policy-report-only");
    api.raw(
            "PUT",
            "/client/v4/zones/" + zone + "/page_monitor",
            "{\"enabled\":true}",
            "Authorization",
            "Bearer " + api.token)
        .isOk();

    assertThat(send("localhost", "/", "", "").headers().map())
        .containsKey("content-security-policy-report-only");
  }
}
