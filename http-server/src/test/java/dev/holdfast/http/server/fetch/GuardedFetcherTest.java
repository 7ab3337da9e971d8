package dev.holdfast.http.server.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.holdfast.http.url.WebUrl;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardedFetcherTest {

  private static final int BODY_BYTES_MAX = 300 * 1_024;
  private static final SSLContext TLS = defaultContext();

  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(task -> Thread.ofVirtual().start(task));
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void serve(String path, int status, byte[] body, String... headers) {
    server.createContext(
        path,
        exchange -> {
          for (int i = 0; i < headers.length; i += 2) {
            exchange.getResponseHeaders().add(headers[i], headers[i + 1]);
          }
          exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  private WebUrl url(String path) {
    return WebUrl.of("http://cdn.example.net:" + server.getAddress().getPort() + path);
  }

  /** A fetcher for which every name is this machine, which it takes for public. */
  private static GuardedFetcher here() {
    return here(TLS);
  }

  private static GuardedFetcher here(SSLContext tls) {
    InetAddress[] loopback = {InetAddress.getLoopbackAddress()};
    return new GuardedFetcher(host -> loopback, address -> address.equals(loopback[0]), tls);
  }

  private static SSLContext defaultContext() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aScriptIsFetchedWithItsQuery() throws Exception {
    server.createContext(
        "/lib.js",
        exchange -> {
          String seen = exchange.getRequestHeaders().getFirst("Host") + exchange.getRequestURI();
          exchange.sendResponseHeaders(200, 0); // in chunks
          exchange.getResponseBody().write(bytes(seen));
          exchange.close();
        });

    assertThat(here().fetch(url("/lib.js?v=1")))
        .isEqualTo(bytes(url("/lib.js?v=1").authority() + "/lib.js?v=1"));
  }

  /** The addresses of scripts that browsers load and {@link java.net.URI} refuses. */
  @ParameterizedTest
  @ValueSource(strings = {"/a|b.js", "/[1].js", "/x.js?v=[1]|{2}"})
  void aScriptIsFetchedFromTheAddressThatBrowsersLoad(String target) throws Exception {
    // The server of the JDK refuses such a request.
    try (ServerSocket origin = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        GuardedFetcher fetcher = here()) {
      Thread.ofVirtual().start(() -> answerWithTarget(origin));
      WebUrl url = WebUrl.of("http://cdn.example.net:" + origin.getLocalPort() + target);

      assertThat(fetcher.fetch(url)).isEqualTo(bytes(url.target()));
    }
  }

  private static void answerWithTarget(ServerSocket origin) {
    try (Socket socket = origin.accept()) {
      InputStream in = socket.getInputStream();
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        head.append((char) in.read());
      }
      socket
          .getOutputStream()
          .write(bytes("HTTP/1.0 200 OK\r\n\r\n" + head.toString().split(" ", 3)[1]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        // Where clouds serve the secrets of a machine.
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "[fd00:ec2::254]",
        "0.0.0.0",
        "100.64.0.1",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[fe80::1]",
        "[fec0::1]",
        "[fd00::1]",
        "[ff02::1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2001::1]",
        "[2001:db8::1]",
        "[3fff::1]",
        "[100::1]"
      })
  void addressesThatAreNotPublicAreRefused(String host) {
    assertThatThrownBy(() -> new GuardedFetcher().fetch(WebUrl.of("http://" + host + "/x.js")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not public");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.1.1.1",
        "100.128.0.1",
        "172.32.0.1",
        "192.0.32.8",
        "198.20.0.1",
        "203.0.112.1",
        "2606:4700::1",
        "2001:4860:4860::8888",
        "2a00:1450::1"
      })
  void otherAddressesAreAllowed(String address) throws IOException {
    assertThat(PublicAddress.isPublic(InetAddress.getByName(address))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ws://cdn.example.net/x.js", "http://user@cdn.example.net/x.js"})
  void otherUrlsAreRefused(String url) {
    assertThatThrownBy(() -> here().fetch(WebUrl.of(url))).isInstanceOf(IOException.class);
  }

  @Test
  void aNameIsResolvedOnceAndWhatWasCheckedIsConnectedTo() throws Exception {
    serve("/x.js", 200, bytes("x"));
    InetAddress loopback = InetAddress.getLoopbackAddress();
    List<String> resolved = new ArrayList<>();
    // The second answer of the name server would be refused.
    GuardedFetcher fetcher =
        new GuardedFetcher(
            host -> {
              resolved.add(host);
              return new InetAddress[] {
                resolved.size() == 1 ? loopback : InetAddress.getByName("10.0.0.1")
              };
            },
            loopback::equals,
            TLS);

    assertThat(fetcher.fetch(url("/x.js"))).isEqualTo(bytes("x"));
    assertThat(resolved).containsExactly("cdn.example.net");
    assertThatThrownBy(() -> fetcher.fetch(url("/x.js"))).hasMessageContaining("10.0.0.1");
  }

  @Test
  void aNameWithOneAddressThatIsNotPublicIsRefused() {
    GuardedFetcher fetcher =
        new GuardedFetcher(
            host ->
                new InetAddress[] {
                  InetAddress.getLoopbackAddress(), InetAddress.getByName("10.0.0.1")
                },
            InetAddress::isLoopbackAddress,
            TLS);

    assertThatThrownBy(() -> fetcher.fetch(url("/x.js"))).hasMessageContaining("not public");
  }

  @Test
  void redirectsAreFollowedAndCheckedLikeTheFirstUrl() throws Exception {
    serve("/x.js", 200, bytes("x"));
    serve("/moved", 302, new byte[0], "Location", "/x.js");
    serve("/inside", 301, new byte[0], "Location", "http://169.254.169.254/latest");
    serve("/local", 301, new byte[0], "Location", "file:///etc/passwd");
    serve("/user", 301, new byte[0], "Location", "//user@cdn.example.net/x.js");
    serve("/again", 307, new byte[0], "Location", "/again");
    GuardedFetcher fetcher =
        new GuardedFetcher(
            host ->
                host.startsWith("169")
                    ? InetAddress.getAllByName(host)
                    : new InetAddress[] {InetAddress.getLoopbackAddress()},
            InetAddress::isLoopbackAddress,
            TLS);

    assertThat(fetcher.fetch(url("/moved"))).isEqualTo(bytes("x"));
    assertThatThrownBy(() -> fetcher.fetch(url("/inside"))).hasMessageContaining("not public");
    assertThatThrownBy(() -> fetcher.fetch(url("/local")))
        .hasMessageContaining("not http or https");
    assertThatThrownBy(() -> fetcher.fetch(url("/again"))).hasMessageContaining("more than 3");
  }

  @Test
  void whatIsTooLongOrNotThereIsRefused() throws Exception {
    serve("/full", 200, new byte[BODY_BYTES_MAX]);
    serve("/long", 200, new byte[BODY_BYTES_MAX + 1]);

    assertThat(here().fetch(url("/full"))).hasSize(BODY_BYTES_MAX);
    assertThatThrownBy(() -> here().fetch(url("/long"))).hasMessageContaining("longer than");
    assertThatThrownBy(() -> here().fetch(url("/none"))).hasMessageContaining("404");
  }

  @Test
  void bodyOfARedirectOrARefusalIsNotAwaited() throws Exception {
    serve("/full", 200, new byte[BODY_BYTES_MAX]);
    serve("/moved", 302, new byte[2 * BODY_BYTES_MAX], "Location", "/full");
    CountDownLatch seen = new CountDownLatch(1);
    server.createContext(
        "/endless",
        exchange -> {
          exchange.sendResponseHeaders(403, 0);
          exchange.getResponseBody().write('x');
          exchange.getResponseBody().flush();
          try {
            seen.await();
          } catch (InterruptedException e) {
            throw new InterruptedIOException();
          }
          exchange.close();
        });

    assertThat(here().fetch(url("/moved"))).hasSize(BODY_BYTES_MAX);
    assertThatThrownBy(() -> here().fetch(url("/endless"))).hasMessageContaining("403");
    seen.countDown();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense~~",
        "HTTP/1.1 200 OK~Content-Length: 5~~abc",
        "HTTP/1.1 200 OK~Content-Length: 99999999999~~abc",
        "HTTP/1.1 200 OK~Content-Length: -1~~abc",
        "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~5~abc",
        "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~4b001~abc",
        "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~zz~abc",
        "HTTP/1.1 200",
        "HTTP/1.1 200 OK~Content-Length: 3~Content-Length: 4~~abcd",
      })
  void malformedAnswersAreRefused(String answer) {
    assertThatThrownBy(() -> fetchFrom(answer.replace("~", "\r\n")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void headThatIsTooLongIsRefused() {
    String head = "HTTP/1.1 200 OK\r\nX-Long: " + "x".repeat(64 * 1_024) + "\r\n\r\nabc";

    assertThatThrownBy(() -> fetchFrom(head)).isInstanceOf(IOException.class);
  }

  @Test
  void chunksAndAnswersWithoutALengthAreRead() throws Exception {
    String chunks = "HTTP/1.1 200 OK~transfer-encoding: Chunked~~2~ab~1;x=y~c~0~~";

    assertThat(fetchFrom(chunks.replace("~", "\r\n"))).isEqualTo(bytes("abc"));
    assertThat(fetchFrom("HTTP/1.0 200 OK\r\n\r\nabc")).isEqualTo(bytes("abc"));
  }

  /** Fetches from a server that says one thing and closes the connection. */
  private static byte[] fetchFrom(String answer) throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread server =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try (Socket socket = listening.accept()) {
                      readRequest(socket.getInputStream());
                      socket.getOutputStream().write(bytes(answer));
                    } catch (IOException e) {
                      throw new IllegalStateException(e);
                    }
                  });
      try {
        return here()
            .fetch(WebUrl.of("http://cdn.example.net:" + listening.getLocalPort() + "/x.js"));
      } finally {
        server.join();
      }
    }
  }

  private static void readRequest(InputStream in) throws IOException {
    StringBuilder request = new StringBuilder();
    while (!request.toString().endsWith("\r\n\r\n")) {
      request.append((char) in.read());
    }
    assertThat(request.toString().toLowerCase(Locale.ROOT)).contains("connection: close");
  }

  @Test
  void overHttpsTheCertificateIsCheckedAgainstTheName(@TempDir Path directory) throws Exception {
    SSLContext context = new SelfSignedCertificate("cdn.example.net", directory).context();
    HttpsServer secure =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    secure.setHttpsConfigurator(new HttpsConfigurator(context));
    secure.createContext(
        "/x.js",
        exchange -> {
          exchange.sendResponseHeaders(200, 1);
          exchange.getResponseBody().write('x');
          exchange.close();
        });
    secure.start();
    try {
      String rest = ":" + secure.getAddress().getPort() + "/x.js";
      WebUrl right = WebUrl.of("https://cdn.example.net" + rest);
      WebUrl wrong = WebUrl.of("https://other.example.net" + rest);

      assertThat(here(context).fetch(right)).isEqualTo(bytes("x"));
      assertThatThrownBy(() -> here(context).fetch(wrong)).isInstanceOf(SSLException.class);
      assertThatThrownBy(() -> here().fetch(right)).isInstanceOf(SSLException.class);
    } finally {
      secure.stop(0);
    }
  }
}
