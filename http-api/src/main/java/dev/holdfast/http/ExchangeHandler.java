package dev.holdfast.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.holdfast.http.internal.error.ApiError;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.object.ZoneReply;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns exchanges of the JDK's server into requests and answers. Thread-safe. */
final class ExchangeHandler implements HttpHandler {

  private static final String HEALTH_PATH = "/healthz";

  private final HttpApi api;
  private final ServerOptions options;

  ExchangeHandler(HttpApi api, ServerOptions options) {
    this.api = api;
    this.options = options;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      ApiResponse response = answer(exchange);
      // First the line, then the answer: whoever has the answer finds the line in the log.
      options.requestLog().accept(line(exchange, response));
      send(exchange, response);
    }
  }

  private ApiResponse answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getRawPath();
    if (path.equals(HEALTH_PATH)) {
      return json(api.isHealthy() ? 200 : 503, "{\"healthy\":" + api.isHealthy() + "}");
    }
    byte[] body = body(exchange);
    if (body == null) {
      exchange.getResponseHeaders().set("Connection", "close");
      ZoneReply tooLarge =
          Envelope.failure(
              413,
              List.of(
                  new ApiError(
                      10006, "The body is longer than " + options.bodyBytesMax() + " bytes")));
      return json(tooLarge.status(), tooLarge.body());
    }
    Map<String, List<String>> headers = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
    String query = exchange.getRequestURI().getRawQuery();
    return api.handle(
        new ApiRequest(
            exchange.getRequestMethod(),
            path,
            query == null ? "" : query,
            headers,
            ByteBuffer.wrap(body)));
  }

  /** The whole body; null if it is too long, of which no more than the limit is read. */
  private byte @Nullable [] body(HttpExchange exchange) throws IOException {
    String length = exchange.getRequestHeaders().getFirst("Content-Length");
    if (length != null && length.length() > 9) {
      return null;
    }
    InputStream in = exchange.getRequestBody();
    byte[] body = in.readNBytes(options.bodyBytesMax() + 1);
    return body.length <= options.bodyBytesMax() ? body : null;
  }

  private static void send(HttpExchange exchange, ApiResponse response) throws IOException {
    response.headers().forEach(exchange.getResponseHeaders()::set);
    byte[] body = response.body().getBytes(StandardCharsets.UTF_8);
    boolean hasBody = body.length > 0 && !exchange.getRequestMethod().equals("HEAD");
    // A length of 0 would mean chunks, -1 means none.
    exchange.sendResponseHeaders(response.status(), hasBody ? body.length : -1);
    if (hasBody) {
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    }
  }

  private static String line(HttpExchange exchange, ApiResponse response) {
    // Without the query: that of a report is signed, and others may hold what is nobody's business.
    return exchange.getRemoteAddress().getAddress().getHostAddress()
        + " "
        + exchange.getRequestMethod()
        + " "
        + exchange.getRequestURI().getRawPath()
        + " "
        + response.status()
        + " "
        + response.body().length();
  }

  private static ApiResponse json(int status, String body) {
    return new ApiResponse(status, Map.of("Content-Type", ZoneReply.JSON), body);
  }
}
