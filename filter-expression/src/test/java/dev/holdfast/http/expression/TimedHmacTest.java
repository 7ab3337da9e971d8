package dev.holdfast.http.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.url.WebUrl;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signed URLs that expire. */
class TimedHmacTest {

  private static final String ISSUED = "1484063787";
  private static final Instant NOW = Instant.ofEpochSecond(1_484_063_800);

  private static byte[] signature(String message) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec("mysecretkey".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    return mac.doFinal((message + ISSUED).getBytes(StandardCharsets.UTF_8));
  }

  private static boolean isValid(String uri, Instant now, String flags) throws Exception {
    FilterRequest request =
        FilterRequest.ofHttp("GET", WebUrl.of("https://example.com" + uri), Map.of(), now);
    return FilterExpression.parse(
            "is_timed_hmac_valid_v0(\"mysecretkey\", http.request.uri, 100,"
                + " http.request.timestamp.sec, 8%s)".formatted(flags))
        .matches(request);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/download/cat.jpg", "/order-1234567890-7/cat.jpg", "/a", "/b", "/c", "/d"})
  void signatureIsReadInBothAlphabets(String path) throws Exception {
    byte[] signature = signature(path);
    String standard = Base64.getEncoder().encodeToString(signature);
    String ofUrls = Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
    String escaped = URLEncoder.encode(standard, StandardCharsets.UTF_8);
    String begin = path + "?verify=" + ISSUED + "-";

    assertThat(isValid(begin + escaped, NOW, "")).isTrue();
    assertThat(isValid(begin + ofUrls, NOW, ", \"s\"")).isTrue();
    assertThat(isValid(begin + escaped, NOW.plusSeconds(100), "")).isFalse();
    assertThat(isValid("/x" + begin + escaped, NOW, "")).isFalse();
  }

  @Test
  void textWithoutASignatureIsNotValid() throws Exception {
    for (String uri :
        new String[] {"/", "/a-", "/?verify=" + ISSUED + "-", "/" + "-".repeat(200)}) {
      assertThat(isValid(uri, NOW, "")).as(uri).isFalse();
    }
  }
}
