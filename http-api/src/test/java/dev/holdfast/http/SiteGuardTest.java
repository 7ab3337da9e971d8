package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.firewall.Undecided;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.site.SiteGuard;
import dev.holdfast.http.site.SiteGuard.Asked;
import dev.holdfast.http.site.SiteOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What rules see of a body, and what happens where they cannot decide. */
class SiteGuardTest {

  private static final String WORDS =
      "select union insert delete update sleep benchmark passwd script onerror";

  /** Ten words, as an author writes them. */
  private static final String TEN_WORDS =
      "http.request.body.raw matches \"(" + WORDS.replace(' ', '|') + ")\"";

  private final List<Decision> decisions = new ArrayList<>();

  @TempDir private Path directory;

  private ApiFixture fixture(Undecided undecided, String expression, String action) {
    ApiFixture api =
        new ApiFixture(directory, Plan.ENTERPRISE, options -> options.withUndecided(undecided));
    String quoted = Json.write(Json.object().put("e", expression).get("e"));
    api.post(
            "/firewall/rules",
            "[{\"filter\":{\"expression\":%s},\"action\":\"%s\"}]".formatted(quoted, action))
        .isOk();
    return api;
  }

  /** The status of the answer; 200 if the request passes. */
  private int post(ApiFixture api, Map<String, String> headers, byte[] body) {
    Map<String, List<String>> lines = new java.util.HashMap<>();
    headers.forEach((name, value) -> lines.put(name, List.of(value)));
    try (SiteGuard guard =
        new SiteGuard(api.api, SiteOptions.DEFAULT.withDecisions(decisions::add))) {
      Asked asked = guard.asked("POST", "http://example.com/", lines, "192.0.2.1");
      int seen = Math.min(body.length, guard.bodyBytes(asked));
      Optional<ApiResponse> answer =
          guard.answer(guard.withBody(asked, ByteBuffer.wrap(body, 0, seen), seen < body.length));
      return answer.map(ApiResponse::status).orElse(200);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] coded(String coding, byte[] plain) throws IOException {
    ByteArrayOutputStream coded = new ByteArrayOutputStream();
    try (OutputStream out =
        switch (coding) {
          case "gzip", "x-gzip", "GZip" -> new GZIPOutputStream(coded);
          case "deflate" -> new DeflaterOutputStream(coded);
          case "raw" -> new DeflaterOutputStream(coded, new Deflater(9, true));
          default -> coded;
        }) {
      out.write(plain);
    }
    return coded.toByteArray();
  }

  @ParameterizedTest
  @EnumSource(Undecided.class)
  void paddingDoesNotChooseWhetherARuleActs(Undecided undecided) {
    try (ApiFixture api = fixture(undecided, TEN_WORDS, "block")) {
      assertThat(post(api, Map.of(), bytes(" ".repeat(5_000) + "passwd"))).isEqualTo(403);
      decisions.clear();
      int padded = post(api, Map.of(), bytes(" ".repeat(120_000) + "passwd"));

      assertThat(padded).isEqualTo(undecided == Undecided.BLOCK ? 403 : 200);
      assertThat(decisions).hasSize(undecided == Undecided.SKIP ? 0 : 1);
      if (undecided == Undecided.LOG) {
        assertThat(decisions.getFirst().matched().getFirst().action())
            .isEqualTo(FirewallAction.LOG);
      }
      assertThat(api.api.firewall().failures()).isEqualTo(1);
    }
  }

  /** A URL ends there, a target of some containers does not. */
  @ParameterizedTest
  @ValueSource(strings = {"/#/admin", "/a#?q=admin", "#"})
  void targetWithAFragmentIsRefused(String target) {
    try (ApiFixture api = fixture(Undecided.BLOCK, "http.request.uri contains \"admin\"", "block");
        SiteGuard guard = new SiteGuard(api.api, SiteOptions.DEFAULT)) {
      Asked asked = guard.asked("GET", "http://example.com" + target, Map.of(), "192.0.2.1");

      assertThat(guard.answer(asked).map(ApiResponse::status)).contains(400);
    }
  }

  @ParameterizedTest
  @CsvSource({"allow", "log"})
  void ruleThatLetsPassDoesNotActWhereItCannotBeDecided(String action) {
    try (ApiFixture api = fixture(Undecided.BLOCK, "not " + TEN_WORDS, action)) {
      assertThat(post(api, Map.of(), bytes(" ".repeat(120_000)))).isEqualTo(200);
      assertThat(decisions).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "gzip, gzip, 403",
    "x-gzip, x-gzip, 403",
    "gzip, GZip, 403",
    "deflate, deflate, 403",
    "raw, deflate, 403",
    "none, identity, 403",
    "none, gzip, 400",
    "none, deflate, 400",
    "none, br, 415",
    "none, zstd, 415",
    "gzip, 'gzip, gzip', 415"
  })
  void bodiesAreDecodedForRules(String coding, String named, int status) throws IOException {
    try (ApiFixture api =
        fixture(Undecided.BLOCK, "http.request.body.raw contains \"evil\"", "block")) {
      byte[] body = coded(coding, bytes("some evil"));

      assertThat(post(api, Map.of("content-encoding", named), body)).isEqualTo(status);
    }
  }

  @Test
  void bodyOfAnUnknownCodingPassesByOptionAndIsCut() {
    try (ApiFixture api = fixture(Undecided.SKIP, "http.request.body.truncated", "block")) {
      assertThat(post(api, Map.of("content-encoding", "br"), bytes("some evil"))).isEqualTo(403);
    }
  }

  @ParameterizedTest
  @CsvSource({"BLOCK, 413", "SKIP, 403"})
  void codedBodyIsDecodedWithinTheBound(Undecided undecided, int status) throws IOException {
    byte[] bomb = coded("gzip", new byte[50 << 20]);
    try (ApiFixture api =
        fixture(
            undecided,
            "http.request.body.size eq 131072 and http.request.body.truncated",
            "block")) {
      assertThat(post(api, Map.of("content-encoding", "gzip"), bomb)).isEqualTo(status);
    }
  }

  /** A site without a decoder reads what a site with one reads, and what rules have judged. */
  @Test
  void siteGetsTheDecodedBodyThatRulesHaveJudged() throws IOException {
    byte[] body = coded("gzip", bytes("a=1"));
    Map<String, List<String>> headers =
        Map.of(
            "content-encoding", List.of("gzip"),
            "content-length", List.of(Integer.toString(body.length)));
    try (ApiFixture api = fixture(Undecided.BLOCK, "http.request.body.size gt 5", "block");
        SiteGuard guard = new SiteGuard(api.api, SiteOptions.DEFAULT)) {
      Asked asked = guard.asked("POST", "http://example.com/", headers, "192.0.2.1");

      Asked decoded = guard.withBody(asked, ByteBuffer.wrap(body), false);

      assertThat(decoded.isDecoded()).isTrue();
      assertThat(decoded.request().body()).isEqualTo(ByteBuffer.wrap(bytes("a=1")));
      assertThat(decoded.request().header("content-encoding")).isEmpty();
      assertThat(decoded.request().header("content-length")).containsExactly("3");
      assertThat(guard.answer(decoded)).isEmpty();
    }
  }

  @Test
  void bodyThatEndsWithinItsCodingIsRefusedAndACutOneIsDecodedAsFarAsItGoes() throws IOException {
    byte[] noise = new byte[200_000];
    new java.util.Random(1).nextBytes(noise);
    byte[] whole = coded("gzip", noise);
    try (ApiFixture api = fixture(Undecided.LOG, "http.request.body.truncated", "block")) {
      Map<String, String> gzip = Map.of("content-encoding", "gzip");
      assertThat(post(api, gzip, whole)).isEqualTo(403);
      assertThat(post(api, gzip, Arrays.copyOf(whole, 1_000))).isEqualTo(400);
      assertThat(post(api, gzip, new byte[] {31})).isEqualTo(400);
    }
  }

  /** Other decoders go on where the first one ends, and a site without one reads all of it. */
  @ParameterizedTest
  @CsvSource({"gzip, 1, 400", "gzip, 8, 400", "gzip, 40, 400", "gzip, 0, 403", "deflate, 8, 400"})
  void bytesAfterTheEndOfACodingAreRefused(String coding, int gap, int status) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write(coded(coding, bytes("harmless")));
    body.write(new byte[gap]);
    body.write(coded(coding, bytes("evil")));
    try (ApiFixture api =
        fixture(Undecided.BLOCK, "http.request.body.raw contains \"evil\"", "block")) {
      assertThat(post(api, Map.of("content-encoding", coding), body.toByteArray()))
          .isEqualTo(status);
    }
  }

  @Test
  void emptyMembersOfGzipTakeNoStack() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int i = 0; i < 6_000; i++) {
      body.write(coded("gzip", new byte[0]));
    }
    body.write(coded("gzip", bytes("evil")));
    try (ApiFixture api =
        fixture(Undecided.BLOCK, "http.request.body.raw contains \"evil\"", "block")) {
      assertThat(post(api, Map.of("content-encoding", "gzip"), body.toByteArray())).isEqualTo(403);
    }
  }

  /** Flags: a checksum of the head, more fields, a name, a comment. */
  @ParameterizedTest
  @CsvSource({
    "4, 03 00 61 62 63, 403",
    "8, 61 62 00, 403",
    "16, 61 62 00, 403",
    "28, 01 00 61 62 00 63 00, 403",
    "2, 1D 26, 403",
    "2, 1D 27, 400",
    "8, 61 62, 400",
    "4, FF FF 61, 400",
    "32, , 400"
  })
  void headOfGzipMayHaveFields(int flags, String fields, int status) throws IOException {
    byte[] plain = coded("gzip", bytes("some evil"));
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write(new byte[] {31, (byte) 139, 8, (byte) flags, 0, 0, 0, 0, 0, 0});
    body.write(fields == null ? new byte[0] : HexFormat.ofDelimiter(" ").parseHex(fields));
    body.write(plain, 10, plain.length - 10);
    try (ApiFixture api =
        fixture(Undecided.BLOCK, "http.request.body.raw contains \"evil\"", "block")) {
      assertThat(post(api, Map.of("content-encoding", "gzip"), body.toByteArray()))
          .isEqualTo(status);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://EXAMPLE.com:80/, EXAMPLE.com:80, example.com",
    "http://exa%6dple.com:8080/, exa%6dple.com:8080, example.com:8080",
    "https://example.com:443/,, example.com"
  })
  void headerOfTheHostIsTheOneThatTheSiteGets(String url, String line, String host) {
    Map<String, List<String>> given = line == null ? Map.of() : Map.of("Host", List.of(line));

    assertThat(SiteRequest.of("GET", url, given, "192.0.2.1").header("host")).containsExactly(host);
  }

  @Test
  void requestWithoutAFormIsNotDecided() {
    SiteRequest request = SiteRequest.of("post", "http://example.com/", Map.of(), "192.0.2.1");

    assertThat(request.refusal())
        .hasValueSatisfying(why -> assertThat(why.status()).isEqualTo(501));
  }
}
