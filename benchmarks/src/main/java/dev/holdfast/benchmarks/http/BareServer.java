package dev.holdfast.benchmarks.http;

import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.server.HttpApiServer;
import dev.holdfast.http.server.ServerOptions;
import java.io.IOException;
import java.util.Map;

/** The same server as the API's, with a handler that reads the request and returns a constant. */
final class BareServer implements AutoCloseable {

  private final HttpApiServer server;

  BareServer(String answer) throws IOException {
    ApiResponse response = new ApiResponse(200, Map.of("Content-Type", "application/json"), answer);
    server = HttpApiServer.serve(request -> response, ServerOptions.DEFAULT);
  }

  String base() {
    return "http://127.0.0.1:" + server.address().getPort();
  }

  @Override
  public void close() {
    server.close();
  }
}
