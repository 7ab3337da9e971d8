package dev.holdfast.archive.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.contract.ArchiveStoreContract;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Object storage as a store, on a server that speaks HTTP. */
final class S3ArchiveTest extends ArchiveStoreContract {

  private static S3Server server;
  private static FaultyWire wire;

  private S3Location location;

  @BeforeAll
  static void start() throws IOException {
    server = new S3Server(true);
    wire = new FaultyWire(server.port(), false);
  }

  @AfterAll
  static void stop() throws IOException {
    wire.close();
    server.close();
  }

  @BeforeEach
  void place(TestInfo test) {
    location =
        S3Server.location(wire.port(), "tests/" + test.getTestMethod().orElseThrow().getName());
  }

  @Override
  protected ArchiveStore store() {
    try {
      return S3Archive.open(location, S3Server.CREDENTIALS);
    } catch (S3RefusedException e) {
      throw new IllegalStateException(e);
    }
  }

  private S3Client client() {
    return S3Archive.builder(location).credentialsProvider(S3Server.CREDENTIALS).build();
  }

  @Test
  void serverOfTheseTestsRefusesTheSecondConditionalWrite() {
    try (S3Client client = client()) {
      for (int i = 0; i < 2; i++) {
        String text = "write " + i;
        int status = 200;
        try {
          client.putObject(
              request -> request.bucket(S3Server.BUCKET).key("twice").ifNoneMatch("*"),
              RequestBody.fromString(text));
        } catch (S3Exception e) {
          status = e.statusCode();
        }
        assertThat(status).isEqualTo(i == 0 ? 200 : 412);
      }
      assertThat(
              client
                  .getObjectAsBytes(request -> request.bucket(S3Server.BUCKET).key("twice"))
                  .asUtf8String())
          .isEqualTo("write 0");
    }
  }

  @Test
  void serverThatIgnoresConditionsIsRefused() throws IOException {
    try (S3Server lax = new S3Server(false);
        FaultyWire dropping = new FaultyWire(lax.port(), true)) {
      S3Location place = S3Server.location(dropping.port(), "p");
      assertThatThrownBy(() -> S3Archive.open(place, S3Server.CREDENTIALS))
          .isInstanceOf(S3RefusedException.class)
          .hasMessageContaining("s3://archives/p")
          .hasMessageContaining("does not honour If-None-Match");
      try (ArchiveStore store = S3Archive.openToRead(place, S3Server.CREDENTIALS)) {
        assertThatThrownBy(() -> put(store, "a", "x")).isInstanceOf(S3RefusedException.class);
        assertThat(text(store, "a")).isEqualTo("nothing");
        assertThat(store.list("", "", 9)).isEmpty();
      }
    }
  }

  @Test
  void bucketThatIsMissingIsRefused() {
    S3Location missing = new S3Location("no-such-bucket", "", location.endpoint(), null);
    assertThatThrownBy(() -> S3Archive.open(missing, S3Server.CREDENTIALS))
        .isInstanceOf(S3RefusedException.class)
        .hasMessageContaining("Check the bucket");
  }

  @Test
  void serverThatIsDownDoesNotStopTheApplication() throws IOException {
    int port;
    try (FaultyWire closed = new FaultyWire(server.port(), false)) {
      port = closed.port();
    }
    try (ArchiveStore store =
        S3Archive.open(S3Server.location(port, "down"), S3Server.CREDENTIALS)) {
      assertThatThrownBy(() -> put(store, "a", "x"))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(S3RefusedException.class)
          .hasMessageContaining("s3://archives/down");
    }
  }

  @Test
  void openingToReadSendsNothing() {
    int before = wire.requests();
    S3Archive.openToRead(location, S3Server.CREDENTIALS).close();
    assertThat(wire.requests()).isEqualTo(before);
  }

  @Test
  void proofLeavesNothing() {
    store().close();
    try (S3Client client = client()) {
      assertThat(
              client
                  .listObjectsV2(r -> r.bucket(S3Server.BUCKET).prefix(location.prefix()))
                  .contents())
          .isEmpty();
    }
  }

  @Test
  void listPassesOverObjectsThatAreNoEntriesAndOverPages() throws IOException {
    ArchiveStore store = store();
    try (S3Client client = client()) {
      for (String name : new String[] {"", "b/", "a~0", "B"}) {
        client.putObject(
            request -> request.bucket(S3Server.BUCKET).key(location.prefix() + "/" + name),
            RequestBody.empty());
      }
    }
    put(store, "b/1", "1");
    put(store, "c", "c");
    assertThat(store.list("", "", 2)).extracting(ArchiveEntry::name).containsExactly("b/1", "c");
  }

  /**
   * Chunks that nothing needs are known by the one that follows; a directory bucket has no order.
   */
  @Test
  void serverThatDoesNotListInOrderIsRefused() throws IOException {
    assertThatThrownBy(() -> listOf("p/b", "p/a"))
        .isInstanceOf(S3RefusedException.class)
        .hasMessageContaining("(a after b)");
    assertThatThrownBy(() -> listOf("p/a")) // the place to begin after is not known to the server
        .isInstanceOf(S3RefusedException.class);
    assertThat(listOf("p/b", "p/c")).extracting(ArchiveEntry::name).containsExactly("b", "c");
  }

  private static List<ArchiveEntry> listOf(String... keys) throws IOException {
    StringBuilder list = new StringBuilder("<ListBucketResult><IsTruncated>false</IsTruncated>");
    for (String key : keys) {
      list.append("<Contents><Key>").append(key).append("</Key><Size>1</Size></Contents>");
    }
    list.append("</ListBucketResult>");
    try (ServerSocket lister = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ArchiveStore store =
            S3Archive.openToRead(
                S3Server.location(lister.getLocalPort(), "p"), S3Server.CREDENTIALS)) {
      Thread.ofPlatform().daemon().start(() -> answer(lister, list.toString()));
      return store.list("", "a", 9);
    }
  }

  private static void answer(ServerSocket server, String body) {
    try (Socket client = server.accept()) {
      BufferedReader head =
          new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8));
      while (!head.readLine().isEmpty()) {
        // A request to list has no body.
      }
      String answer =
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      client.getOutputStream().write(answer.getBytes(UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
