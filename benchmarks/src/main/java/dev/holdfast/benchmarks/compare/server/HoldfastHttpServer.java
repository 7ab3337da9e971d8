package dev.holdfast.benchmarks.compare.server;

import dev.holdfast.StorageKind;
import dev.holdfast.benchmarks.compare.inprocess.HoldfastPeer;
import dev.holdfast.http.ApiRequest;
import dev.holdfast.http.ApiResponse;
import dev.holdfast.http.server.HttpApiServer;
import dev.holdfast.http.server.ServerOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The process of Holdfast behind HTTP: {@code PUT /NAME} and {@code GET /NAME}. */
final class HoldfastHttpServer {

  private static final Map<String, String> TEXT = Map.of("Content-Type", "text/plain");

  private HoldfastHttpServer() {}

  public static void main(String[] arguments) throws Exception {
    try (HoldfastPeer objects = HoldfastPeer.open(StorageKind.SQLITE, Path.of(arguments[1]));
        HttpApiServer server =
            HttpApiServer.serve(
                request -> answer(objects, request), options(Integer.parseInt(arguments[0])))) {
      System.out.println("listening on " + server.address());
      new CountDownLatch(1).await();
    }
  }

  /** Connections stay open while other peers have their rounds. */
  private static ServerOptions options(int port) {
    return ServerOptions.DEFAULT
        .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
        .withTimeouts(Duration.ofHours(1), Duration.ofSeconds(30), Duration.ofSeconds(5));
  }

  private static ApiResponse answer(HoldfastPeer objects, ApiRequest request) {
    HoldfastPeer.Value value = objects.value(request.path().substring(1));
    if (request.method().equals("PUT")) {
      value.put(StandardCharsets.UTF_8.decode(request.body()).toString());
      return new ApiResponse(200, TEXT, "ok");
    }
    return new ApiResponse(200, TEXT, value.get());
  }
}
