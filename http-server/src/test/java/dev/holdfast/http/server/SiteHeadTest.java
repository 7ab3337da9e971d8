package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.server.RawHttp2.Field;
import dev.holdfast.http.server.fetch.SelfSignedCertificate;
import dev.holdfast.http.server.site.SiteProxy;
import dev.holdfast.http.site.SiteOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Heads of requests and answers: how long they may be, and what the proxy adds to them. */
@TestInstance(Lifecycle.PER_CLASS)
class SiteHeadTest {

  @TempDir private static Path directory;

  private ServedApi api;
  private RawOrigin origin;
  private SSLContext tls;
  private SiteProxy plain;
  private SiteProxy secure;
  private volatile String answer = "";
  private volatile String seen = "";

  @BeforeAll
  void open() throws Exception {
    tls = new SelfSignedCertificate("example.com", directory).context();
    api = new ServedApi(Files.createDirectory(directory.resolve("data")));
    origin = new RawOrigin();
    origin.onAll(
        (head, in, out) -> {
          seen = head;
          RawOrigin.write(out, answer.replaceFirst("\r\n", "\r\nConnection: close\r\n"));
        });
    plain = site(null);
    secure = site(tls);
  }

  private SiteProxy site(@Nullable SSLContext key) throws IOException {
    return SiteProxy.start(
        api.api,
        SiteOptions.DEFAULT,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        URI.create("http://127.0.0.1:" + origin.port()),
        Duration.ofMinutes(1),
        key);
  }

  @AfterAll
  void close() {
    plain.close();
    secure.close();
    origin.close();
    api.close();
  }

  private static String ok(String headers) {
    return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + headers + "\r\n";
  }

  private String get(String headers) throws IOException {
    return send("GET / HTTP/1.1", headers);
  }

  private String send(String line, String headers) throws IOException {
    try (Socket socket = new Socket(plain.address().getAddress(), plain.address().getPort())) {
      String head = line + "\r\nHost: example.com\r\nConnection: close\r\n";
      socket
          .getOutputStream()
          .write((head + headers + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private int get2(String cookie) throws IOException {
    return RawHttp2.send(
        secure.address(),
        tls,
        List.of(
            new Field(":method", "GET"),
            new Field(":scheme", "https"),
            new Field(":authority", "example.com"),
            new Field(":path", "/"),
            new Field("cookie", cookie)),
        new byte[0]);
  }

  @ParameterizedTest
  @CsvSource({"8192, 200", "24576, 200", "65000, 200", "66000, 431", "120000, 431"})
  void headsOfRequestsPassUpTo64KibibytesAndAreRefusedBeyond(int bytes, int status)
      throws IOException {
    answer = ok("");
    String cookie = "sid=" + "x".repeat(bytes - 4);

    assertThat(get("Cookie: " + cookie + "\r\n")).startsWith("HTTP/1.1 " + status);
    assertThat(get2(cookie)).isEqualTo(status);
    if (status == 200) {
      assertThat(seen).contains(cookie);
    }
  }

  /** The form that the site gets is escaped, and nine times as long. */
  @ParameterizedTest
  @CsvSource({"7000, 200", "8000, 431", "20000, 431"})
  void headIsNotLongerThan64KibibytesInTheFormOfTheSite(int characters, int status)
      throws IOException {
    answer = ok("");
    String query = "\u00e2\u0082\u00ac".repeat(characters); // the bytes of UTF-8

    assertThat(send("GET /?" + query + " HTTP/1.1", "")).startsWith("HTTP/1.1 " + status);
  }

  @ParameterizedTest
  @CsvSource({"21000, 200", "64000, 200", "70000, 502"})
  void headsOfAnswersPassUpTo64Kibibytes(int bytes, int status) throws IOException {
    answer = ok("X-Long: " + "x".repeat(bytes) + "\r\n");

    assertThat(get(""))
        .startsWith("HTTP/1.1 " + status)
        .containsIgnoringCase("Connection: close\r\n");
    assertThat(get2("a=1")).isEqualTo(status);
  }

  @Test
  void answerWithoutABodyGetsNoLength() throws IOException {
    answer = "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n";
    assertThat(get("")).startsWith("HTTP/1.1 304").doesNotContainIgnoringCase("Content-Length");

    answer = "HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\n\r\n";
    assertThat(get("")).startsWith("HTTP/1.1 304").containsIgnoringCase("Content-Length: 12");

    answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    assertThat(send("HEAD / HTTP/1.1", ""))
        .startsWith("HTTP/1.1 200")
        .doesNotContainIgnoringCase("Content-Length");

    answer = "HTTP/1.1 204 No Content\r\n\r\n";
    assertThat(get("")).startsWith("HTTP/1.1 204").doesNotContainIgnoringCase("Content-Length");
  }

  @Test
  void proxyNamesNoClientWhereTheClientNamesNone() throws IOException {
    answer = ok("");
    get("");
    assertThat(seen).doesNotContainIgnoringCase("User-Agent");

    get("User-Agent: mine\r\n");
    assertThat(seen).containsIgnoringCase("User-Agent: mine\r\n");
  }

  /**
   * The connection ends on which a body is left. A client that is not told so sends its next
   * request there, and cannot know whether it was taken.
   */
  @Test
  void aRefusalBeforeTheEndOfABodySaysThatTheConnectionEnds() throws IOException {
    try (Socket socket = new Socket(plain.address().getAddress(), plain.address().getPort())) {
      String head = "POST / HTTP/1.1\r\nHost: other.example\r\nContent-Length: 9\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      String answered =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
              .toLowerCase(Locale.ROOT);

      assertThat(answered).startsWith("http/1.1 421 ").contains("\r\nconnection: close\r\n");
    }
  }
}
