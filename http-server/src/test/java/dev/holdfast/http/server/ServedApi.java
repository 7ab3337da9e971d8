package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The real server on a real data directory, with one zone and a token that may do everything. */
final class ServedApi implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();

  /** Stands still until it is moved. */
  final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-11-21T10:00:00.123456Z"));

  /** The number of calls of objects so far. */
  final AtomicLong calls = new AtomicLong();

  final String token;
  final HttpApi api;

  /** The zone that paths are below of; a new one for each test that needs an empty one. */
  ZoneProfile zone;

  private final ObjectRuntime runtime;
  private final HttpApiServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  ServedApi(Path directory) {
    this(directory, Plan.ENTERPRISE, options -> options);
  }

  ServedApi(Path directory, Plan plan, UnaryOperator<HttpApiOptions> changes) {
    this(directory, plan, changes, ServerOptions.DEFAULT);
  }

  ServedApi(
      Path directory,
      Plan plan,
      UnaryOperator<HttpApiOptions> changes,
      ServerOptions serverOptions) {
    HttpApiOptions options = changes.apply(HttpApiOptions.DEFAULT.withClock(now::get));
    runtime =
        Holdfast.open(
            directory,
            objects -> {
              HttpApi.register(objects, options);
              objects.filter(
                  call -> {
                    calls.incrementAndGet();
                    return call.proceed();
                  });
            });
    api = new HttpApi(runtime, options);
    try {
      server = HttpApiServer.start(api, serverOptions);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    zone = api.operator().createZone("example.com", plan);
    token = api.operator().createToken(List.of(), List.of(Permission.values()));
  }

  /** An answer: status, headers and body as JSON. */
  record Answer(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    JsonNode json() {
      return ServedApi.json(response.body());
    }

    JsonNode result() {
      return json().get("result");
    }

    int code() {
      return json().get("errors").get(0).get("code").intValue();
    }

    String message() {
      return json().get("errors").get(0).get("message").stringValue();
    }

    Answer isOk() {
      assertThat(status()).as(response.body()).isEqualTo(200);
      assertThat(json().get("success").booleanValue()).isTrue();
      return this;
    }

    Answer isError(int status, int code) {
      assertThat(status()).as(response.body()).isEqualTo(status);
      assertThat(code()).as(response.body()).isEqualTo(code);
      assertThat(json().get("success").booleanValue()).isFalse();
      assertThat(json().get("result").isNull()).isTrue();
      return this;
    }
  }

  static JsonNode json(String text) {
    return JSON.readTree(text);
  }

  Answer get(String path) {
    return send("GET", path, null);
  }

  Answer post(String path, String body) {
    return send("POST", path, body);
  }

  Answer put(String path, String body) {
    return send("PUT", path, body);
  }

  Answer delete(String path) {
    return send("DELETE", path, null);
  }

  /** Sends a request to a path below the zone, with the token. */
  Answer send(String method, String path, @Nullable String body) {
    String whole = "/client/v4/zones/" + zone.id() + path;
    return raw(method, whole, body, "Authorization", "Bearer " + token);
  }

  /** Where a page's browser sends reports: path and query, signed. */
  String reportAddress(String page) {
    String description =
        "{\"url\":\"%s\",\"response_headers\":{\"content-type\":\"text/html\"}}".formatted(page);
    JsonNode headers = post("/page_monitor/headers", description).isOk().result().get("headers");
    String value = headers.get(0).get("value").stringValue();
    return value.substring(value.indexOf("/cdn-cgi")).split(";", 2)[0];
  }

  /** Sends a request as it is. */
  Answer raw(String method, String path, @Nullable String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base() + path))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return new Answer(client.send(request.build(), BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  String base() {
    return "http://127.0.0.1:" + server.address().getPort();
  }

  @Override
  public void close() {
    client.shutdownNow();
    server.close();
    runtime.close();
  }
}
