package dev.holdfast.served;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.http.HttpApi;
import dev.holdfast.http.HttpApiOptions;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.object.ZoneProfile;
import dev.holdfast.http.server.HttpApiServer;
import dev.holdfast.http.server.ServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The API, served over HTTP from a data directory, and a token that may do everything. */
final class ServedApi implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();

  private final ObjectRuntime runtime;
  private final HttpApi api;
  private final HttpApiServer server;
  private final String token;
  private final HttpClient client = HttpClient.newHttpClient();

  ServedApi(Path directory) {
    runtime =
        Holdfast.open(directory, objects -> HttpApi.register(objects, HttpApiOptions.DEFAULT));
    api = new HttpApi(runtime, HttpApiOptions.DEFAULT);
    try {
      server = HttpApiServer.start(api, ServerOptions.DEFAULT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    token = api.operator().createToken(List.of(), List.of(Permission.values()));
  }

  HttpApi api() {
    return api;
  }

  String token() {
    return token;
  }

  String base() {
    return "http://127.0.0.1:" + server.address().getPort() + "/client/v4";
  }

  ZoneProfile newZone(String name) {
    return api.operator().createZone(name, Plan.ENTERPRISE);
  }

  /** {@return the result of a request that succeeds} */
  JsonNode send(String method, ZoneProfile zone, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base() + "/zones/" + zone.id() + path))
            .header("Authorization", "Bearer " + token)
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return JSON.readTree(answer.body()).get("result");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
    server.close();
    runtime.close();
  }
}
