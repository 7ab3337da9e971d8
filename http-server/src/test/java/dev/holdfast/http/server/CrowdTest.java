package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.server.internal.RawClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server among clients that open connections and say nothing, or upload for ever. Small always;
 * 5,000 connections and 100 uploads against the server's own limits with {@code
 * holdfast.tests=long}.
 */
class CrowdTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int SILENT = LONG ? 5_000 : 60;
  private static final int UPLOADS = LONG ? 100 : 12;

  /** No test is about clients that are slow; this machine may be. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final ServerOptions OPTIONS =
      (LONG
              ? ServerOptions.DEFAULT
              : ServerOptions.DEFAULT.withConnections(40).withBodies(1 << 20, 4 << 20))
          .withTimeouts(PATIENCE, PATIENCE, Duration.ofSeconds(5));

  private final List<RawClient> crowd = new ArrayList<>();

  @AfterEach
  void leave() throws IOException {
    for (RawClient client : crowd) {
      client.close();
    }
  }

  private RawClient join(ServedApi api) throws IOException {
    URI base = URI.create(api.base());
    RawClient client;
    try {
      client = new RawClient(new InetSocketAddress(base.getHost(), base.getPort()));
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).contains("Too many open files")) {
        abort("needs " + 2 * (SILENT + UPLOADS) + " open files: raise ulimit -n");
      }
      throw e;
    }
    crowd.add(client);
    return client;
  }

  @Test
  void silentConnectionsAndSlowUploadsLeaveTheServerToTheOthers(@TempDir Path directory)
      throws IOException {
    try (ServedApi api = new ServedApi(directory, Plan.ENTERPRISE, o -> o, OPTIONS)) {
      String reader = api.api.operator().createToken(List.of(), List.of(Permission.FIREWALL_READ));
      String zone = "/client/v4/zones/" + api.zone.id();
      String slow =
          "POST "
              + zone
              + "/firewall/simulate HTTP/1.1~Host: x~Content-Length: 1000000~"
              + "Authorization: Bearer "
              + reader
              + "~~";
      List<RawClient> uploads = new ArrayList<>();
      for (int i = 0; i < UPLOADS; i++) {
        uploads.add(join(api).lines(slow).send("[" + " ".repeat(900_000)));
      }
      // The token has what one may have, and the rest of its uploads is refused.
      int held = OPTIONS.bodiesBytesMax() / 2 / (1 << 20);
      while (uploads.stream().filter(RawClient::hasAnswer).count() < UPLOADS - held) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < SILENT; i++) {
        join(api);
      }

      assertThat(api.raw("GET", "/healthz", null).status()).isEqualTo(200);
      String large = "[{\"expression\":\"ssl\"}" + " ".repeat(900_000) + "]";
      api.post("/filters", large).isOk();
      assertThat(api.get("/filters").isOk().result()).hasSize(1);
      long waiting = uploads.stream().filter(upload -> !upload.hasAnswer()).count();
      assertThat(waiting).as("uploads that go on").isBetween(1L, (long) held);
    }
  }
}
