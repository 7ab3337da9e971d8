package dev.holdfast.served;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.browser.Chromium;
import dev.holdfast.http.firewall.BasicRuleset;
import dev.holdfast.http.object.ZoneProfile;
import dev.holdfast.http.server.site.SiteProxy;
import dev.holdfast.http.site.SiteOptions;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A server from npm, unchanged, behind the proxy mode: attacked, used and browsed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockSiteTest {

  private static final Path DIRECTORY = Path.of("stock-site");
  private static final Path REQUESTS =
      Path.of("../../http-api/src/test/resources/dev/holdfast/http");
  private static final String HOST = "shop.example.test";
  private static final int LOADS_MAX = 50;

  /** What the stock server says of itself in each of its answers. */
  private static final String SIGNATURE = "X-Powered-By: Express";

  private static final Pattern LINE =
      Pattern.compile("(\\S+) (\\S+)((?: \\{[A-Z][A-Za-z-]*: .*?\\}(?= >> |$))?)(?: >> (.*))?");

  private Process stock;
  private ServedApi served;
  private ZoneProfile zone;
  private SiteProxy site;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    assumeTrue(node().isPresent(), "no node: apt-get install nodejs npm");
    Path server = DIRECTORY.resolve("node_modules/json-server/lib/cli/bin.js");
    assumeTrue(
        Files.isRegularFile(server), "no stock site: run \"npm ci\" in proof/server/stock-site");
    int port = freePort();
    // It changes its posts.
    Files.copy(DIRECTORY.resolve("db.json"), directory.resolve("db.json"));
    Path pages = Files.createDirectory(directory.resolve("public"));
    for (String page : List.of("index.html", "style.css", "app.js")) {
      Files.copy(DIRECTORY.resolve("public").resolve(page), pages.resolve(page));
    }
    stock =
        new ProcessBuilder(
                node().orElseThrow().toString(),
                server.toAbsolutePath().toString(),
                "db.json",
                "--host",
                "127.0.0.1",
                "--port",
                String.valueOf(port))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    awaitStart(stock.inputReader());
    served = new ServedApi(directory.resolve("data"));
    zone = served.newZone("example.test");
    served.send(
        "PUT",
        zone,
        "/rulesets/phases/http_request_firewall_managed/entrypoint?waf_migration=pending&phase_two=1",
        "{\"rules\":[{\"action\":\"execute\",\"expression\":\"true\",\"action_parameters\":{\"id\":\""
            + BasicRuleset.ID
            + "\"}}]}");
    served.send(
        "PUT", zone, "/page_monitor", "{\"enabled\":true,\"use_vendor_reporting_endpoint\":false}");
    site =
        SiteProxy.start(
            served.api(),
            SiteOptions.DEFAULT,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            URI.create("http://127.0.0.1:" + port),
            Duration.ofMinutes(1),
            null);
  }

  @AfterAll
  void stop() {
    if (site != null) {
      site.close();
    }
    if (served != null) {
      served.close();
    }
    if (stock != null) {
      stock.destroyForcibly().onExit().join();
    }
  }

  private static Optional<Path> node() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(directory -> Path.of(directory, "node"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Its output is read to its end, so that it never blocks. */
  private static void awaitStart(BufferedReader output) throws IOException {
    List<String> said = new ArrayList<>();
    String line = output.readLine();
    while (line != null && !line.contains("Home")) {
      said.add(line);
      line = output.readLine();
    }
    assertThat(line).as("the stock server said %s", said).isNotNull();
    Thread.ofVirtual().start(() -> output.lines().forEach(said::add));
  }

  /** Sends a request as it is written, and returns the whole answer. */
  private String send(String line) throws IOException {
    Matcher parts = LINE.matcher(line);
    assertThat(parts.matches()).as(line).isTrue();
    String header = parts.group(3).strip();
    byte[] body = (parts.group(4) == null ? "" : parts.group(4)).getBytes(StandardCharsets.UTF_8);
    String head =
        parts.group(1)
            + " "
            + parts.group(2)
            + " HTTP/1.1\r\nHost: "
            + HOST
            + "\r\nConnection: close\r\n"
            + (header.isEmpty() ? "" : header.substring(1, header.length() - 1) + "\r\n")
            + (body.length == 0 ? "" : "Content-Length: " + body.length + "\r\n")
            + "\r\n";
    try (Socket socket = new Socket(site.address().getAddress(), site.address().getPort())) {
      socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().write(body);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<String> lines(String file) throws IOException {
    try (Stream<String> lines = Files.lines(REQUESTS.resolve(file))) {
      return lines.filter(line -> !line.startsWith("#")).toList();
    }
  }

  @Test
  void attacksNeverReachTheSite() throws IOException {
    List<String> attacks = lines("attacks.txt");
    List<String> passed = new ArrayList<>();
    for (String attack : attacks) {
      String answer = send(attack);
      if (answer.contains(SIGNATURE) || !answer.startsWith("HTTP/1.1 4")) {
        passed.add(attack + " got " + answer.lines().findFirst());
      }
    }

    assertThat(passed).isEmpty();
    assertThat(attacks).hasSizeGreaterThanOrEqualTo(60);
  }

  @Test
  void harmlessRequestsAllReachTheSite() throws IOException {
    List<String> harmless = lines("harmless.txt");
    List<String> blocked = new ArrayList<>();
    for (String request : harmless) {
      String answer = send(request);
      if (!answer.contains(SIGNATURE)) {
        blocked.add(request + " got " + answer.lines().findFirst());
      }
    }

    assertThat(blocked).isEmpty();
    assertThat(harmless).hasSizeGreaterThanOrEqualTo(60);
  }

  @Test
  void browserUsesTheSiteAndItsScriptsAreMonitored(@TempDir Path profile) {
    Optional<Path> installed = Chromium.find();
    assumeTrue(installed.isPresent(), "no Chromium: apt-get install chromium");
    String page = "http://" + HOST + ":" + site.address().getPort() + "/";
    try (Chromium browser = Chromium.start(installed.orElseThrow(), profile.resolve("chromium"))) {
      browser.load(page);

      assertThat(browser.await("site")).isEqualTo("[true,true,true]");
      List<String> scripts = scripts();
      for (int loads = 1; scripts.isEmpty() && loads < LOADS_MAX; loads++) {
        browser.load(page);
        scripts = scripts();
      }
      assertThat(scripts).containsExactly(page + "app.js");
    }
  }

  private List<String> scripts() {
    return served
        .send("GET", zone, "/page_monitor/scripts?status=active,infrequent", "")
        .findValuesAsString("url");
  }
}
