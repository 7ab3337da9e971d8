package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.server.Origins.Origin;
import dev.holdfast.http.server.Origins.Received;
import dev.holdfast.http.server.RawHttp2.Field;
import dev.holdfast.http.server.fetch.SelfSignedCertificate;
import dev.holdfast.http.server.site.SiteProxy;
import dev.holdfast.http.site.SiteOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** The table of the manual: what rules see of a request, the site receives. */
@TestInstance(Lifecycle.PER_CLASS)
class CanonicalRequestTest {

  private static final Path MANUAL = Path.of("../docs/records/promises/requests.md");
  private static final String HEADING = "# Requests as rules and the site see them";
  private static final Pattern SPAN = Pattern.compile("`([^`]*)`");

  private static final String BODY = "body: ";
  private static final Pattern CODED = Pattern.compile("(gzip|deflate)\\((.*)\\)(.*)");
  private static final Pattern LONG = Pattern.compile("([0-9,]+) bytes");

  @TempDir private static Path directory;

  /** What the rules have judged, one for each request that reaches them. */
  private final BlockingQueue<SiteRequest> judged = new LinkedBlockingQueue<>();

  private SSLContext tls;
  private ServedApi api;

  /**
   * A row.
   *
   * @param lines the method with the target, and headers
   * @param expected what is seen: the method with the target, or headers
   * @param status of a request that is refused; 200 if it passes
   */
  private record Row(List<String> lines, List<String> expected, int status) {

    static Row of(String line) {
      String[] cells = line.split(" \\| ", -1);
      List<String> request = spans(cells[0]);
      List<String> seen = spans(cells[1]);
      return new Row(request, seen, seen.isEmpty() ? Integer.parseInt(cells[1].strip()) : 200);
    }

    private static List<String> spans(String cell) {
      return SPAN.matcher(cell).results().map((MatchResult found) -> found.group(1)).toList();
    }

    String method() {
      return lines.getFirst().split(" ", 2)[0];
    }

    String target() {
      return bytes(lines.getFirst().split(" ", 2)[1]);
    }

    List<String> headers() {
      return lines.stream()
          .skip(1)
          .filter(line -> !line.startsWith(BODY))
          .map(CanonicalRequestTest::bytes)
          .toList();
    }

    byte[] body() throws IOException {
      Optional<String> text = lines.stream().filter(line -> line.startsWith(BODY)).findFirst();
      return text.isEmpty() ? new byte[0] : CanonicalRequestTest.body(text.get());
    }
  }

  private enum Version {
    HTTP_1_0,
    HTTP_1_1,
    HTTP_2
  }

  @BeforeAll
  void open() throws Exception {
    tls = new SelfSignedCertificate("example.com", directory).context();
    api = new ServedApi(Files.createDirectory(directory.resolve("data")));
    api.api.operator().importLegacy(api.zone.id(), "{\"waf\":{\"enabled\":false}}");
    api.post(
            "/firewall/rules",
            "[{\"filter\":{\"expression\":\"http.request.body.raw contains \\\"evil\\\"\"},"
                + "\"action\":\"block\"},"
                + "{\"filter\":{\"expression\":\"ssl or not ssl\"},\"action\":\"js_challenge\"}]")
        .isOk();
  }

  @AfterAll
  void close() {
    api.close();
  }

  /** A byte in each character, as a connection has them. */
  private static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** A body as a row has it: a text, or a coding with a text or a number of bytes. */
  private static byte[] body(String line) throws IOException {
    String text = line.substring(BODY.length());
    Matcher coded = CODED.matcher(text);
    if (!coded.matches()) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    Matcher count = LONG.matcher(coded.group(2));
    String plain =
        count.matches()
            ? "a".repeat(Integer.parseInt(count.group(1).replace(",", "")))
            : coded.group(2);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (OutputStream out =
        coded.group(1).equals("gzip")
            ? new GZIPOutputStream(body)
            : new DeflaterOutputStream(body)) {
      out.write(plain.getBytes(StandardCharsets.UTF_8));
    }
    body.writeBytes(coded.group(3).getBytes(StandardCharsets.UTF_8));
    return body.toByteArray();
  }

  private static List<Row> rows() throws IOException {
    List<String> lines = Files.readAllLines(MANUAL);
    List<Row> rows =
        lines.subList(lines.indexOf(HEADING), lines.size()).stream()
            .dropWhile(line -> !line.startsWith("|--"))
            .skip(1)
            .takeWhile(line -> line.startsWith("| "))
            .map(line -> Row.of(line.substring(2)))
            .toList();
    assertThat(rows).hasSizeGreaterThan(30);
    return Stream.concat(
            rows.stream(),
            Stream.of(
                // What a table of Markdown cannot have.
                new Row(List.of("GET /x?q=a|b"), List.of("GET /x?q=a|b"), 200),
                new Row(List.of("GET /[a]|{b}^x"), List.of("GET /[a]|{b}^x"), 200),
                new Row(List.of("GET /x?q=\"<a>\""), List.of("GET /x?q=\"<a>\""), 200)))
        .toList();
  }

  private SiteProxy site(int origin, @Nullable SSLContext key, SiteOptions options)
      throws IOException {
    return SiteProxy.start(
        api.api,
        options.withChallenge(
            (request, decision) -> {
              judged.add(request);
              return Optional.empty();
            }),
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        URI.create("http://127.0.0.1:" + origin),
        Duration.ofMinutes(1),
        key);
  }

  @Test
  void siteReceivesWhatRulesSee() throws IOException {
    try (Origin origin = Origins.inProcess()) {
      check(origin);
    }
  }

  @Test
  void nodeReceivesWhatRulesSee() throws IOException {
    Optional<Origin> node = Origins.node(directory);
    assumeTrue(node.isPresent(), "no node: apt-get install nodejs");
    try (Origin origin = node.orElseThrow()) {
      check(origin);
    }
  }

  @Test
  void nginxReceivesWhatRulesSee() throws IOException {
    Optional<Origin> nginx = Origins.nginx(directory);
    assumeTrue(nginx.isPresent(), "no nginx: apt-get install nginx-light");
    try (Origin origin = nginx.orElseThrow()) {
      check(origin);
    }
  }

  @Test
  void malformedTrailersAreNoFailureOfTheServer() throws IOException {
    Logger log = Logger.getLogger("dev.holdfast.http");
    List<LogRecord> logged = new CopyOnWriteArrayList<>();
    Filter before = log.getFilter();
    log.setFilter(
        entry -> {
          logged.add(entry);
          return false;
        });
    try (Origin origin = Origins.inProcess();
        SiteProxy secure = site(origin.port(), tls, SiteOptions.DEFAULT)) {
      List<Field> fields =
          List.of(
              new Field(":method", "POST"),
              new Field(":scheme", "https"),
              new Field(":authority", "example.com"),
              new Field(":path", "/"));
      List<Field> trailers = List.of(new Field("x-t", "1\r\n\r\nGET /admin HTTP/1.1\r\n"));

      assertThat(RawHttp2.send(secure.address(), tls, fields, new byte[] {1}, trailers)).isZero();
    } finally {
      log.setFilter(before);
    }
    assertThat(logged).filteredOn(entry -> entry.getLevel() == Level.SEVERE).isEmpty();
  }

  /** What follows a byte that is no UTF-8 was another text for rules than for the site. */
  @Test
  void bytesThatAreNoTextHideNoTextFromRules() throws Exception {
    String head = "GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\nX-Probe: ";
    judged.clear();
    try (Origin origin = Origins.inProcess();
        SiteProxy plain = site(origin.port(), null, SiteOptions.DEFAULT);
        Socket socket = new Socket(plain.address().getAddress(), plain.address().getPort())) {
      String value = "\u00ff" + bytes("é") + "\u00e2\u0082";
      socket
          .getOutputStream()
          .write((head + value + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));

      assertThat(judged.take().header("x-probe")).containsExactly("\u00ffé\u00e2\u0082");
      assertThat(origin.next().headers().get("x-probe")).isEqualTo(value);
    }
  }

  @Test
  void codedBodyMayBeChunked() throws IOException {
    byte[] body = body("body: gzip(a=1)");
    String head =
        "POST / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n"
            + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    try (Origin origin = Origins.inProcess();
        SiteProxy plain = site(origin.port(), null, SiteOptions.DEFAULT);
        Socket socket = new Socket(plain.address().getAddress(), plain.address().getPort())) {
      OutputStream out = socket.getOutputStream();
      out.write(head.getBytes(StandardCharsets.US_ASCII));
      for (byte each : body) {
        out.write(new byte[] {'1', '\r', '\n', each, '\r', '\n'});
      }
      out.write("0\r\nX-T: 1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      Received received = origin.next();

      assertThat(received.body()).isEqualTo("a=1");
      assertThat(received.headers().get("content-encoding")).isEmpty();
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 200 ");
    }
  }

  /** The origin would wait for the body of a stream that has ended. */
  @Test
  void lengthWithoutABodyIsMalformed() throws IOException {
    List<Field> fields = post("/", "3");
    try (Origin origin = Origins.inProcess();
        SiteProxy secure = site(origin.port(), tls, SiteOptions.DEFAULT)) {
      assertThat(RawHttp2.send(secure.address(), tls, fields, new byte[0])).isEqualTo(400);
    }
  }

  /** The origin would read the rest of the body from the next request, past all rules. */
  @Test
  void bodyThatTrailersEndTooEarlyIsNotFilledFromTheNextRequest() throws IOException {
    List<String> bodies = new CopyOnWriteArrayList<>();
    try (RawOrigin origin = new RawOrigin();
        SiteProxy secure = site(origin.port(), tls, SiteOptions.DEFAULT)) {
      origin.onAll(
          (head, in, out) -> {
            RawOrigin.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            int length = head.startsWith("POST /short ") ? 40 : 1;
            bodies.add(new String(in.readNBytes(length), StandardCharsets.ISO_8859_1));
          });
      byte[] body = "abc".getBytes(StandardCharsets.US_ASCII);
      List<Field> trailers = List.of(new Field("x-t", "1"));
      int status = RawHttp2.send(secure.address(), tls, post("/short", "40"), body, trailers);
      RawHttp2.send(secure.address(), tls, post("/next", "1"), new byte[] {'a'});

      // 200 if the origin has answered before the end of the body was there.
      assertThat(status).isIn(400, 200);
    }
    assertThat(bodies).noneMatch(body -> body.contains("/next"));
  }

  private static List<Field> post(String path, String length) {
    return List.of(
        new Field(":method", "POST"),
        new Field(":scheme", "https"),
        new Field(":authority", "example.com"),
        new Field(":path", path),
        new Field("content-length", length));
  }

  private void check(Origin origin) throws IOException {
    List<String> wrong = new ArrayList<>();
    try (SiteProxy plain = site(origin.port(), null, SiteOptions.DEFAULT);
        SiteProxy secure = site(origin.port(), tls, SiteOptions.DEFAULT)) {
      for (Row row : rows()) {
        for (Version version : Version.values()) {
          String what = version + " " + row.lines() + ": ";
          judged.clear();
          int status = send(version, row, version == Version.HTTP_2 ? secure : plain);
          // The server of HTTP/2 may refuse the frames themselves.
          boolean isRefusal = status == row.status() || (status == 0 && row.status() == 400);
          if (!(row.status() == 200 ? status == 200 : isRefusal && judged.isEmpty())) {
            wrong.add(what + status + ", judged " + judged.size());
          }
          if (!judged.isEmpty()) {
            compare(what, row, judged.remove(), origin, wrong);
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static void compare(
      String what, Row row, SiteRequest rules, Origin origin, List<String> wrong) {
    Received site = origin.next();
    String seen = rules.method() + " " + rules.target().orElseThrow();
    String received = site.method() + " " + site.target();
    if (!seen.equals(received)) {
      wrong.add(what + "judged " + seen + ", received " + received);
    }
    String body = StandardCharsets.ISO_8859_1.decode(rules.body().duplicate()).toString();
    if (!body.equals(site.body())) {
      wrong.add(what + "body judged " + body + ", received " + site.body());
    }
    for (String name : Origins.SHOWN) {
      String lines = bytes(String.join(", ", rules.header(name)));
      boolean isShown = origin.showsAllLines() || rules.header(name).size() < 2;
      if (isShown && !lines.equals(site.headers().get(name))) {
        wrong.add(what + name + " judged " + lines + ", received " + site.headers().get(name));
      }
    }
    for (String expected : row.expected()) {
      String[] header = expected.split(": ", 2);
      if (!origin.showsAllLines() && expected.contains(",")) {
        continue;
      }
      String actual = received;
      if (expected.startsWith(BODY)) {
        actual = BODY + site.body();
      } else if (header.length > 1) {
        String value = site.headers().get(header[0].toLowerCase(Locale.ROOT));
        actual = header[0] + ": " + (value.isEmpty() ? "none" : value);
      }
      if (!actual.equals(bytes(expected))) {
        wrong.add(what + "received " + actual);
      }
    }
  }

  private int send(Version version, Row row, SiteProxy site) throws IOException {
    if (version == Version.HTTP_2) {
      List<Field> fields = new ArrayList<>();
      fields.add(new Field(":method", row.method()));
      fields.add(new Field(":scheme", "https"));
      fields.add(new Field(":authority", "example.com"));
      fields.add(new Field(":path", row.target()));
      for (String header : row.headers()) {
        String[] halves = header.split(": ", 2);
        fields.add(new Field(halves[0].toLowerCase(Locale.ROOT), halves[1]));
      }
      return RawHttp2.send(site.address(), tls, fields, row.body());
    }
    byte[] body = row.body();
    String lines =
        row.method()
            + " "
            + row.target()
            + (version == Version.HTTP_1_0 ? " HTTP/1.0" : " HTTP/1.1")
            + "\r\nHost: example.com\r\nConnection: close\r\n"
            + String.join("", row.headers().stream().map(header -> header + "\r\n").toList())
            + (body.length == 0 ? "" : "Content-Length: " + body.length + "\r\n")
            + "\r\n";
    try (Socket socket = new Socket(site.address().getAddress(), site.address().getPort())) {
      socket.getOutputStream().write(lines.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().write(body);
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      return answer.isEmpty() ? 0 : Integer.parseInt(answer.split(" ", 3)[1]);
    }
  }
}
