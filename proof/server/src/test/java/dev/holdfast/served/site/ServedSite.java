package dev.holdfast.served.site;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A directory behind HTTP, whose pages may load from here only: the browser refuses everything else
 * and reports it. Thread-safe.
 */
final class ServedSite implements AutoCloseable {

  private static final String POLICY =
      "default-src 'self' 'unsafe-inline' data:; report-uri /violations";

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html",
          "js", "text/javascript",
          "css", "text/css",
          "json", "application/json",
          "woff2", "font/woff2");

  private final Path root;
  private final HttpServer server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> violations = new CopyOnWriteArrayList<>();

  private ServedSite(Path root) throws IOException {
    this.root = root;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  static ServedSite of(Path root) throws IOException {
    return new ServedSite(root);
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** {@return paths that were asked for} */
  List<String> requests() {
    return requests;
  }

  /** {@return what the browser refused} */
  List<String> violations() {
    return violations;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (path.equals("/violations")) {
        violations.add(new String(body, StandardCharsets.UTF_8));
        exchange.sendResponseHeaders(204, -1);
        return;
      }
      requests.add(path);
      Path file = file(path);
      if (file == null) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      String name = file.toString();
      String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
      exchange.getResponseHeaders().add("Content-Type", String.valueOf(type));
      exchange.getResponseHeaders().add("Content-Security-Policy", POLICY);
      byte[] content = Files.readAllBytes(file);
      exchange.sendResponseHeaders(200, content.length);
      exchange.getResponseBody().write(content);
    }
  }

  private @Nullable Path file(String path) {
    Path asked = root.resolve(path.substring(1)).normalize();
    for (Path each : List.of(asked, asked.resolve("index.html"), Path.of(asked + ".html"))) {
      if (each.startsWith(root) && Files.isRegularFile(each)) {
        return each;
      }
    }
    return null;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
