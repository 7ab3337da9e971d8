package dev.holdfast.served;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.server.ServeCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The verbs of the HTTP API, as the launcher starts them. */
class ServeTest {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir private Path directory;

  private final HttpClient client = HttpClient.newHttpClient();

  /** The output of a server when it starts. */
  private record Served(ChildJvm process, String address, List<String> said)
      implements AutoCloseable {

    static Served start(Path data, String... options) {
      List<String> arguments = new ArrayList<>(List.of("--port", "0"));
      arguments.addAll(List.of("--data", data.toString()));
      arguments.addAll(List.of(options));
      ChildJvm process = ChildJvm.startWithErrors(ServeCommand.class, arguments);
      List<String> said = new ArrayList<>();
      while (said.isEmpty() || !said.getLast().startsWith("serving ")) {
        said.add(process.nextLine(PATIENCE).orElseThrow(() -> new AssertionError(said)));
      }
      return new Served(process, said.getLast().substring("serving ".length()), said);
    }

    /** {@return the rest of the line that begins with a word} */
    String line(String word) {
      return said.stream()
          .filter(line -> line.startsWith(word))
          .map(line -> line.substring(line.lastIndexOf(' ') + 1))
          .findFirst()
          .orElseThrow();
    }

    @Override
    public void close() {
      process.close();
    }
  }

  private JsonNode send(Served served, String token, String method, String path, String body)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(served.address() + "/zones/" + served.line("zone ") + path))
            .header("Authorization", "Bearer " + token)
            .method(method, BodyPublishers.ofString(body))
            .build();
    return new JsonMapper().readTree(client.send(request, BodyHandlers.ofString()).body());
  }

  private JsonNode headers(Served served, String token) throws Exception {
    send(served, token, "PUT", "/page_monitor", "{\"enabled\":true}");
    String page =
        "{\"url\":\"http://example.com/\",\"response_headers\":{\"content-type\":\"text/html\"}}";
    return send(served, token, "POST", "/page_monitor/headers", page).at("/result/headers");
  }

  @Test
  void reportsComeBackToTheServerAndAStopIsInOrder() throws Exception {
    String token;
    try (Served served = Served.start(directory)) {
      token = served.line("token ");
      String origin = served.address().replace("/client/v4", "");

      assertThat(headers(served, token).at("/0/value").asString())
          .contains("report-uri " + origin + "/");
      URI health = URI.create(origin + "/healthz");
      assertThat(
              client.send(HttpRequest.newBuilder(health).build(), BodyHandlers.ofString()).body())
          .isEqualTo("{\"healthy\":true}");

      // As a terminal or a service manager does.
      assertThat(ProcessHandle.of(served.process().pid()).orElseThrow().destroy()).isTrue();
      assertThat(served.process().exitCode()).isEqualTo(128 + 15);
    }
    // The second start prints no token, and creates no zone.
    try (Served again = Served.start(directory, "--sample-rate", "0")) {
      assertThat(again.said()).noneMatch(line -> line.startsWith("token"));
      assertThat(again.said().stream().filter(line -> line.startsWith("zone"))).hasSize(1);
      assertThat(headers(again, token)).isEmpty();
    }
  }

  @Test
  void optionsSayHowPagesAreMonitored() throws Exception {
    Path feed = Files.writeString(directory.resolve("feed"), "evil.example.net\tMalware\n");
    String[] options = {
      "--feed", feed.toString(), "--fetch", "--report-address", "https://reports.example.com"
    };
    Path data = directory.resolve("data");
    try (Served served = Served.start(data, options)) {
      assertThat(headers(served, served.line("token ")).at("/0/value").asString())
          .contains("report-uri https://reports.example.com/cdn-cgi/");
    }
  }

  @Test
  void serverOnAllAddressesLetsBrowsersReportToTheHostOfThePage() throws Exception {
    try (Served served = Served.start(directory, "--host", "0.0.0.0", "--insecure")) {
      assertThat(headers(served, served.line("token ")).at("/0/value").asString())
          .contains("report-uri http://example.com/cdn-cgi/");
    }
  }

  @Test
  void operatorCommandsReachTheRunningServer() throws Exception {
    try (Served served = Served.start(directory, "--quiet")) {
      String zone = said("zone", "create", "shop.example", "--plan", "free");
      assertThat(zone).matches("[0-9a-f]{32}");
      assertThat(said("zone", "list")).contains(zone + " shop.example");
      assertThat(said("zone", "change", zone, "--plan", "pro", "--policies", "7"))
          .contains("\"firewall_rules_max\":20", "\"policies_max\":7");
      Path rules = Files.writeString(directory.resolve("rules"), "{\"waf\":{\"enabled\":false}}");
      assertThat(said("zone", "import", rules.toString(), "--zone", zone)).contains(zone);

      String token = said("token", "create", "--zone", zone, "--allow", "firewall_read");
      String id = token.split("_", -1)[1];
      String filters = "/zones/" + zone + "/filters";
      assertThat(status(served, filters, "Authorization", "Bearer " + token)).isEqualTo(200);
      assertThat(said("token", "list")).contains(id + "\tnever\t" + zone + "\tfirewall_read");

      String renewed = said("token", "rotate", id);
      assertThat(status(served, filters, "Authorization", "Bearer " + token)).isEqualTo(403);
      assertThat(status(served, filters, "Authorization", "Bearer " + renewed)).isEqualTo(200);
      said("token", "expire", id, "--days", "1");
      assertThat(said("token", "list")).containsPattern(id + "\t20\\d\\d-");
      said("token", "revoke", id);
      assertThat(status(served, filters, "Authorization", "Bearer " + renewed)).isEqualTo(403);

      String key = said("token", "create", "--email", "me@example.com");
      assertThat(status(served, filters, "X-Auth-Email", "me@example.com", "X-Auth-Key", key))
          .isEqualTo(200);
      Launched wrong = Launched.on(directory, "token", "revoke", id);
      assertThat(wrong.exitCode()).isEqualTo(2);
      assertThat(wrong.errors()).isEqualTo("holdfast: no token or key " + id);

      Launched second = Launched.on(directory, "serve", "--port", "0");
      assertThat(second.exitCode()).isEqualTo(1);
      assertThat(second.errors().lines())
          .singleElement()
          .asString()
          .startsWith("holdfast: ")
          .contains(directory.toString());
    }
  }

  private String said(String... arguments) {
    Launched launched = Launched.on(directory, arguments);
    assertThat(launched.exitCode()).as(launched.errors()).isZero();
    return launched.output();
  }

  private int status(Served served, String path, String... headers) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(served.address() + path)).headers(headers).build();
    return client.send(request, BodyHandlers.ofString()).statusCode();
  }

  @ParameterizedTest
  @CsvSource({
    "--sample-rate, 2, from 0 to 1",
    "--sample-rate, NaN, from 0 to 1",
    "--feed, /nonexistent/feed, cannot read the feed",
    "--rate-limit, -1, negative",
    "--report-address, reports.example.com, scheme",
    "--report-address, https://reports.example.com/path, scheme",
    "--port, many, many",
    "--in-front-of, ftp://a, --in-front-of is scheme http",
    "--host, 0.0.0.0, is reached by other machines: add --tls-certificate",
    "--site-host, 0.0.0.0, is reached by other machines: add --tls-certificate",
    "--host, no.such.host.invalid, not an address",
    "--port, 65536, from 0 to 65535",
    "--tls-key, key.pem, belong together",
    "--keystore, /nonexistent/store, belong together",
    "--colour, blue, Unknown option",
    "--body-bytes, 1048577, from 1 to 1048576",
    "--trusted-proxy, x, --trusted-proxy is a network"
  })
  void aWrongOptionEndsWithExitCodeTwo(String option, String value, String message) {
    Launched serve = Launched.on(directory, "serve", option, value);

    assertThat(serve.exitCode()).isEqualTo(2);
    assertThat(serve.errors()).startsWith("holdfast: ").contains(message);
    assertThat(serve.errors().lines()).hasSize(1);
    assertThat(serve.output()).isEmpty();
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void siteIsServedWithTheFirewallInFront() throws Exception {
    HttpServer origin = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    origin.createContext(
        "/page",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write("a page".getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    origin.start();
    try (Served served =
        Served.start(
            directory,
            "--zone",
            "localhost",
            "--site-port",
            "0",
            "--in-front-of",
            "http://127.0.0.1:" + origin.getAddress().getPort())) {
      String line = served.process().nextLine(PATIENCE).orElseThrow();
      assertThat(line).startsWith("site http://127.0.0.1:");
      String site = "http://localhost:" + line.split("[: ]", -1)[3];

      assertThat(get(site + "/page").body()).isEqualTo("a page");
      assertThat(get(site + "/page?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E").statusCode())
          .isEqualTo(403);
    } finally {
      origin.stop(0);
    }
  }

  @Test
  void cookiesOfVisitorsAreListedAndOutliveAStop() throws Exception {
    HttpServer shop = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    shop.createContext(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "text/html");
          exchange.getResponseHeaders().set("Set-Cookie", exchange.getRequestURI().getQuery());
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    shop.start();
    String token;
    try (Served served =
        Served.start(
            directory,
            "--zone",
            "localhost",
            "--site-port",
            "0",
            "--in-front-of",
            "http://127.0.0.1:" + shop.getAddress().getPort())) {
      token = served.line("token ");
      send(served, token, "PUT", "/page_monitor", "{\"enabled\":true}");
      String site = "http://localhost:" + next(served, "site ").split("[: ]", -1)[3];
      get(site + "/?listed=1");

      assertThat(send(served, token, "GET", "/page_monitor/cookies", "").findValuesAsString("name"))
          .containsExactly("listed");

      get(site + "/?noted=1");
      assertThat(ProcessHandle.of(served.process().pid()).orElseThrow().destroy()).isTrue();
      assertThat(served.process().exitCode()).isEqualTo(128 + 15);
    } finally {
      shop.stop(0);
    }
    try (Served again = Served.start(directory)) {
      assertThat(send(again, token, "GET", "/page_monitor/cookies", "").findValuesAsString("name"))
          .containsExactlyInAnyOrder("listed", "noted");
    }
  }

  @Test
  void decisionsAreLoggedAndCounted() throws Exception {
    try (Served served =
        Served.start(
            directory,
            "--zone",
            "localhost",
            "--site-port",
            "0",
            "--in-front-of",
            "http://127.0.0.1:1")) {
      String rules =
          """
          [{"action":"log","filter":{"expression":"http.request.uri.path eq \\"/seen\\""}},
           {"action":"block","filter":{"expression":"http.request.uri.path eq \\"/no\\""}}]
          """;
      JsonNode made =
          send(served, served.line("token "), "POST", "/firewall/rules", rules).get("result");
      String logs = made.get(0).get("id").asString();
      String blocks = made.get(1).get("id").asString();
      String site = "http://localhost:" + next(served, "site ").split("[: ]", -1)[3];

      assertThat(get(site + "/seen").statusCode()).isEqualTo(502);
      assertThat(next(served, "decision ")).startsWith("decision none at ").endsWith(logs + " log");
      assertThat(get(site + "/no").statusCode()).isEqualTo(403);
      assertThat(next(served, "decision "))
          .contains("zone " + served.line("zone "))
          .endsWith(blocks + " block");

      assertThat(ProcessHandle.of(served.process().pid()).orElseThrow().destroy()).isTrue();
      assertThat(next(served, "decisions "))
          .contains("none=1", "block=1", blocks + "=1", logs + "=1", "failed expressions 0");
    }
  }

  private static String next(Served served, String word) {
    while (true) {
      String line = served.process().nextLine(PATIENCE).orElseThrow();
      if (line.startsWith(word)) {
        return line;
      }
    }
  }

  private HttpResponse<String> get(String url) throws Exception {
    return client.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
  }

  @Test
  void siteAndApiAreServedWithTls(@TempDir Path keys) throws Exception {
    Path password = Files.writeString(keys.resolve("password"), "only for this test\n");
    Path store = keys.resolve("store");
    assertThat(
            new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=localhost",
                    "-storepass",
                    "only for this test",
                    "-keystore",
                    store.toString())
                .start()
                .waitFor())
        .isZero();
    try (Served served =
        Served.start(
            directory,
            "--keystore",
            store.toString(),
            "--keystore-password",
            password.toString(),
            "--site-port",
            "0",
            "--in-front-of",
            "http://127.0.0.1:1")) {
      assertThat(served.address()).startsWith("https://127.0.0.1:");
      assertThat(served.process().nextLine(PATIENCE).orElseThrow())
          .startsWith("site https://127.0.0.1:");
    }
  }

  @Test
  void aPortThatIsTakenIsReportedInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Launched serve = Launched.on(directory, "serve", "--port", "" + taken.getLocalPort());

      assertThat(serve.exitCode()).isEqualTo(1);
      assertThat(serve.errors().lines())
          .singleElement()
          .asString()
          .startsWith("holdfast: cannot listen on port " + taken.getLocalPort());
    }
  }

  @Test
  void aDirectoryThatIsAFileIsReportedInOneLineWithItsCause() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    Launched list = Launched.on(file, "zone", "list");

    assertThat(list.exitCode()).isEqualTo(1);
    assertThat(list.errors().lines())
        .singleElement()
        .asString()
        .startsWith("holdfast: ")
        .contains(file.toString());
  }

  @Test
  void zonesAndCredentialsAreMadeWhileTheServerIsStopped() throws Exception {
    Launched zone = Launched.on(directory, "zone", "create", "shop.example.com", "--plan", "pro");
    assertThat(zone.output()).matches("[0-9a-f]{32}");
    assertThat(Launched.on(directory, "zone", "list").output())
        .isEqualTo(zone.output() + " shop.example.com");
    Launched token =
        Launched.on(
            directory, "token", "create", "--zone", zone.output(), "--allow", "page_monitor_read");
    Launched key = Launched.on(directory, "token", "create", "--email", "me@example.com");
    assertThat(key.output()).isNotBlank();

    String id = token.output().split("_", -1)[1];
    assertThat(Launched.on(directory, "token", "revoke", id).exitCode()).isZero();
    Launched again = Launched.on(directory, "token", "revoke", id);

    assertThat(again.exitCode()).isEqualTo(2);
    assertThat(again.errors()).isEqualTo("holdfast: no token or key " + id);
  }

  @Test
  void credentialsAreListedAndRenewed() {
    String token =
        Launched.on(directory, "token", "create", "--days", "30", "--allow", "firewall_read")
            .output();
    Launched.on(directory, "token", "create", "--email", "me@example.com");
    String id = token.split("_", -1)[1];
    String list = Launched.on(directory, "token", "list").output();
    String renewed = Launched.on(directory, "token", "rotate", id).output();
    Launched unknown = Launched.on(directory, "token", "rotate", "0".repeat(16));

    assertThat(list.lines()).hasSize(2);
    assertThat(list).matches("(?s)" + id + "\t20\\d\\d-\\S+Z\tall zones\tfirewall_read\\n.*");
    assertThat(list).contains("me@example.com\tnever\tall zones\t").doesNotContain(token);
    assertThat(renewed).startsWith("hf_" + id + "_").isNotEqualTo(token);
    assertThat(unknown.exitCode()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({
    "serve",
    "zone",
    "zone create",
    "zone change",
    "zone list",
    "zone import",
    "token",
    "token create",
    "token expire",
    "token list",
    "token rotate",
    "token revoke"
  })
  void everyVerbHasHelp(String verb) {
    List<String> words = new ArrayList<>(List.of(verb.split(" ", -1)));
    words.add("--help");
    Launched help = Launched.run(words.toArray(String[]::new));

    assertThat(help.exitCode()).isZero();
    assertThat(help.output()).startsWith("Usage: holdfast " + verb);
    assertThat(help.errors()).isEmpty();
  }

  @Test
  void wrongNamesOfZonesPlansAndPermissionsAreReported() {
    Launched zone = Launched.on(directory, "zone", "create", "Not a domain");
    Launched plan = Launched.on(directory, "zone", "create", "example.com", "--plan", "gold");
    Launched permission = Launched.on(directory, "token", "create", "--allow", "everything");

    assertThat(List.of(zone, plan, permission))
        .allSatisfy(
            wrong -> {
              assertThat(wrong.exitCode()).isEqualTo(2);
              assertThat(wrong.errors().lines()).hasSize(1);
            });
  }

  @Test
  void aLegacyConfigurationIsImportedOrRefused() throws IOException {
    Launched.on(directory.resolve("data"), "zone", "create", "example.com");
    Path right =
        Files.writeString(
            directory.resolve("right"), "{\"packages\":{\"owasp\":{\"sensitivity\":\"high\"}}}");
    Path wrong = Files.writeString(directory.resolve("wrong"), "{\"packages\":7}");

    assertThat(Launched.on(directory.resolve("data"), "zone", "import", right.toString()).errors())
        .isEmpty();
    Launched refused = Launched.on(directory.resolve("data"), "zone", "import", wrong.toString());

    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.errors())
        .endsWith(
            wrong + ": the document is refused: invalid JSON: expected an object at /packages");
  }
}
