package dev.holdfast.http.server;

import static dev.holdfast.http.server.RawOrigin.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.server.fetch.SelfSignedCertificate;
import dev.holdfast.http.server.site.SiteProxy;
import dev.holdfast.http.site.SiteOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A site and the API behind TLS, with HTTP/1.1 and HTTP/2. */
@TestInstance(Lifecycle.PER_CLASS)
class SiteTlsTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @TempDir private static Path directory;

  private SelfSignedCertificate certificate;
  private ServedApi api;
  private HttpServer origin;
  private SiteProxy site;
  private HttpClient client;

  @BeforeAll
  void open() throws Exception {
    certificate = new SelfSignedCertificate("localhost", directory);
    SSLContext tls = certificate.context();
    client = HttpClient.newBuilder().sslContext(tls).build();
    api =
        new ServedApi(
            Files.createDirectory(directory.resolve("data")),
            Plan.ENTERPRISE,
            options -> options.withReportBase(""),
            ServerOptions.DEFAULT);
    api.zone = api.api.operator().createZone("localhost", Plan.ENTERPRISE);
    api.api.operator().importLegacy(api.zone.id(), "{\"waf\":{\"enabled\":false}}");
    api.post(
            "/firewall/rules",
            "[{\"filter\":{\"expression\":\"http.request.uri.path eq \\\"/block\\\"\"},"
                + "\"action\":\"block\"},"
                + "{\"filter\":{\"expression\":\"http.request.version eq \\\"HTTP/2\\\" and"
                + " http.request.uri.path eq \\\"/version\\\"\"},\"action\":\"block\"},"
                + "{\"filter\":{\"expression\":\"not ssl\"},\"action\":\"block\"}]")
        .isOk();
    api.put("/page_monitor", "{\"enabled\":true}").isOk();
    origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    origin.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    origin.createContext("/", SiteTlsTest::answer);
    origin.start();
    site = start(origin.getAddress().getPort(), tls);
  }

  private SiteProxy start(int port, SSLContext tls) throws IOException {
    return SiteProxy.start(
        api.api,
        SiteOptions.DEFAULT,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        URI.create("http://127.0.0.1:" + port),
        PATIENCE,
        tls);
  }

  @AfterAll
  void close() {
    client.shutdownNow();
    site.close();
    origin.stop(0);
    api.close();
  }

  private static void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String said =
          "%s %s %s %s %s %d"
              .formatted(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI(),
                  exchange.getRequestHeaders().getFirst("Host"),
                  exchange.getRequestHeaders().getFirst("X-Forwarded-Proto"),
                  exchange.getRequestHeaders().getFirst("Transfer-Encoding"),
                  body.length);
      exchange.getResponseHeaders().add("Connection", "X-Once");
      exchange.getResponseHeaders().add("X-Once", "1");
      exchange.getResponseHeaders().add("Content-Type", "text/html");
      exchange.sendResponseHeaders(200, 0);
      exchange.getResponseBody().write(said.getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().write(body);
    }
  }

  private String host() {
    return "localhost:" + site.address().getPort();
  }

  private HttpRequest.Builder request(Version version, String path) {
    return HttpRequest.newBuilder(URI.create("https://" + host() + path)).version(version);
  }

  private HttpResponse<String> send(HttpRequest request) throws Exception {
    return client.send(request, BodyHandlers.ofString());
  }

  @ParameterizedTest
  @EnumSource
  void requestsPassWithTheirHostAndTheirBody(Version version) throws Exception {
    HttpResponse<String> got = send(request(version, "/a?b=c").build());
    byte[] large = new byte[300_000];
    HttpResponse<String> posted =
        send(request(version, "/").POST(BodyPublishers.ofByteArray(large)).build());
    HttpResponse<String> streamed =
        send(
            request(version, "/")
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)))
                .build());

    assertThat(got.version()).isEqualTo(version);
    assertThat(got.body()).isEqualTo("GET /a?b=c " + host() + " https null 0");
    assertThat(got.headers().firstValue("X-Once")).isEmpty();
    assertThat(posted.body()).startsWith("POST / " + host() + " https null 300000");
    assertThat(posted.body().length()).isGreaterThan(large.length);
    assertThat(streamed.body()).startsWith("POST / " + host() + " https chunked 300000");
  }

  @Test
  void rulesKnowTheVersion() throws Exception {
    assertThat(send(request(Version.HTTP_2, "/version").build()).statusCode()).isEqualTo(403);
    assertThat(send(request(Version.HTTP_1_1, "/version").build()).statusCode()).isEqualTo(200);
  }

  @Test
  void reportsOfPagesGoToTheSiteIfThereIsNoOtherAddress() throws Exception {
    HttpResponse<String> page = send(request(Version.HTTP_2, "/").build());

    String address = "https://" + host() + "/cdn-cgi/";
    assertThat(page.headers().firstValue("Content-Security-Policy-Report-Only").orElseThrow())
        .contains("report-uri " + address);
  }

  @ParameterizedTest
  @EnumSource
  void attacksAreRefused(Version version) throws Exception {
    assertThat(send(request(version, "/block").build()).statusCode()).isEqualTo(403);
  }

  @Test
  void manyRequestsOfOneConnectionPassAtOnce() {
    List<CompletableFuture<String>> answers =
        IntStream.range(0, 100)
            .mapToObj(
                i ->
                    client
                        .sendAsync(
                            request(Version.HTTP_2, "/" + i).build(), BodyHandlers.ofString())
                        .thenApply(HttpResponse::body))
            .toList();

    for (int i = 0; i < answers.size(); i++) {
      assertThat(answers.get(i).join()).startsWith("GET /" + i + " ");
    }
  }

  @Test
  void webSocketsPass() throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    try (RawOrigin sockets = new RawOrigin();
        SiteProxy proxy = start(sockets.port(), certificate.context())) {
      sockets.on("/socket", SiteTlsTest::greet);
      URI address = URI.create("wss://localhost:" + proxy.address().getPort() + "/socket");
      WebSocket socket = client.newWebSocketBuilder().buildAsync(address, listener(heard)).join();

      assertThat(heard.take()).isEqualTo("hello");
      socket.abort();
    }
  }

  private static WebSocket.Listener listener(BlockingQueue<String> heard) {
    return new WebSocket.Listener() {
      @Override
      public @Nullable CompletionStage<?> onText(
          WebSocket socket, CharSequence text, boolean last) {
        heard.add(text.toString());
        return null;
      }
    };
  }

  /** Answers the handshake and says hello. */
  private static void greet(String head, InputStream in, OutputStream out) throws IOException {
    Matcher key = Pattern.compile("(?i)Sec-WebSocket-Key: (\\S+)").matcher(head);
    assertThat(key.find()).isTrue();
    try {
      byte[] accept =
          MessageDigest.getInstance("SHA-1")
              .digest(
                  (key.group(1) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                      .getBytes(StandardCharsets.US_ASCII));
      write(
          out,
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              + "Sec-WebSocket-Accept: "
              + Base64.getEncoder().encodeToString(accept)
              + "\r\n\r\n\u0081\u0005hello");
      in.readAllBytes();
    } catch (NoSuchAlgorithmException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  @ParameterizedTest
  @EnumSource
  void apiIsServedWithTls(Version version) throws Exception {
    try (HttpApiServer server =
        HttpApiServer.start(api.api, ServerOptions.DEFAULT.withTls(certificate.context()))) {
      HttpResponse<String> zones =
          send(
              HttpRequest.newBuilder(
                      URI.create(
                          "https://localhost:" + server.address().getPort() + "/client/v4/zones"))
                  .version(version)
                  .header("Authorization", "Bearer " + api.token)
                  .build());

      assertThat(zones.statusCode()).as(zones.body()).isEqualTo(200);
      assertThat(zones.version()).isEqualTo(version);
    }
  }

  @ParameterizedTest
  @EnumSource
  void apiReadsBodiesOfUnknownLength(Version version) throws Exception {
    byte[] body = "{\"expression\":\"ssl\"}".getBytes(StandardCharsets.UTF_8);
    try (HttpApiServer server =
        HttpApiServer.start(api.api, ServerOptions.DEFAULT.withTls(certificate.context()))) {
      HttpResponse<String> checked =
          send(
              HttpRequest.newBuilder(
                      URI.create(
                          "https://localhost:"
                              + server.address().getPort()
                              + "/client/v4/filters/validate-expr"))
                  .version(version)
                  .header("Authorization", "Bearer " + api.token)
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))
                  .build());

      assertThat(checked.statusCode()).as(checked.body()).isEqualTo(200);
    }
  }

  @Test
  void keysAreReadFromPemAndKeyStores() throws Exception {
    Path pem = Files.writeString(directory.resolve("site.pem"), certificate.certificatePem());
    Path key = Files.writeString(directory.resolve("site.key"), certificate.keyPem());
    char[] password = SelfSignedCertificate.PASSWORD.toCharArray();
    for (SSLContext tls :
        List.of(TlsKeys.ofPem(pem, key), TlsKeys.ofKeyStore(certificate.keyStore(), password))) {
      try (SiteProxy proxy = start(origin.getAddress().getPort(), tls)) {
        URI address = URI.create("https://localhost:" + proxy.address().getPort() + "/");
        assertThat(send(HttpRequest.newBuilder(address).build()).statusCode()).isEqualTo(200);
      }
    }
  }

  @Test
  void keysThatCannotBeUsedAreNamed() throws Exception {
    Path pem = Files.writeString(directory.resolve("a.pem"), certificate.certificatePem());
    Path key = Files.writeString(directory.resolve("a.key"), certificate.keyPem());
    Path old =
        Files.writeString(
            directory.resolve("old.key"),
            certificate.keyPem().replace("PRIVATE KEY", "RSA PRIVATE KEY"));
    Path other =
        Files.writeString(
            directory.resolve("other.key"),
            new SelfSignedCertificate("other", Files.createDirectory(directory.resolve("other")))
                .keyPem());
    char[] wrong = "wrong".toCharArray();

    assertThatThrownBy(() -> TlsKeys.ofPem(key, key)).hasMessageContaining("a.key");
    assertThatThrownBy(() -> TlsKeys.ofPem(pem, pem)).hasMessageContaining("no private key");
    assertThatThrownBy(() -> TlsKeys.ofPem(pem, old)).hasMessageContaining("openssl pkcs8");
    assertThatThrownBy(() -> TlsKeys.ofPem(pem, other)).hasMessageContaining("does not fit");
    assertThatThrownBy(() -> TlsKeys.ofKeyStore(certificate.keyStore(), wrong))
        .hasMessageContaining("key store");
    assertThatThrownBy(() -> TlsKeys.ofKeyStore(pem, wrong)).hasMessageContaining("a.pem");
  }
}
