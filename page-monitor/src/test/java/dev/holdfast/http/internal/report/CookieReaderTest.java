package dev.holdfast.http.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.monitor.object.SeenCookie;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CookieReaderTest {

  private static final Instant NOW = Instant.parse("2026-11-24T12:00:00Z");

  private static List<SeenCookie> set(String page, String header) {
    return CookieReader.read(WebUrl.of(page), Map.of(), Map.of("set-cookie", List.of(header)), NOW);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a=1; Max-Age=0",
        "a=1; max-age=-1",
        "a=1; Max-Age=-99999999999999999999",
        "a=1; Max-Age=60; Max-Age=0",
        "a=1; Max-Age=0; Expires=Wed, 24 Nov 2027 12:00:00 GMT",
        "a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "a=1; Expires=Tue, 24 Nov 2026 12:00:00 GMT",
        "a=1; Domain=example.net",
        "a=1; Domain=other.example.com",
        "a=1; Domain=com",
        "a=1; Domain=ample.com",
        "a=1; SameSite=None",
        "a=1; Partitioned",
        "__Secure-a=1",
        "__secure-a=1",
        "__Host-a=1; Path=/",
        "__Host-a=1; Secure",
        "__Host-a=1; Secure; Path=/x",
        "__HOST-a=1; Secure; Path=/; Domain=shop.example.com",
        "=1",
        "a",
        "a=1\u0007",
        "a=1; Path=/\u007f",
        "a b\u0001=1",
      })
  void whatBrowsersRefuseOrDeleteIsLeftOut(String header) {
    assertThat(set("https://shop.example.com/x/y", header)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a=1",
        "a=",
        "a=1; Max-Age=1",
        "a=1; Max-Age=0; Max-Age=60",
        "a=1; Max-Age=soon",
        "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "a=1; Max-Age=99999999999999999999",
        "a=1; Expires=yesterday",
        "a=1; Expires=Tue, 24 Nov 2026 12:00:01 GMT",
        "a=1; Domain=example.com",
        "a=1; Domain=.Example.com",
        "a=1; Domain=shop.example.com",
        "a=1; Domain=",
        "a=1; Secure; SameSite=None",
        "a=1; Secure; SameSite=None; Partitioned",
        "__Secure-a=1; Secure; Domain=example.com",
        "__Host-a=1; Secure; Path=/",
        "__Host-a=1; Secure; Path=/; Domain=",
        "a=1; Path=x",
        "a=1;;;= ;Unknown=2",
        "a=\"1\"",
      })
  void whatBrowsersKeepIsRead(String header) {
    assertThat(set("https://shop.example.com/x/y", header)).hasSize(1);
  }

  @Test
  void secureCookiesComeWithTlsOrFromTheMachineItself() {
    assertThat(set("http://shop.example.com/", "a=1; Secure")).isEmpty();
    assertThat(set("http://shop.localhost/", "a=1; Secure")).hasSize(1);
    assertThat(set("http://shop.example.com/", "a=1")).hasSize(1);
  }

  @Test
  void nameAndValueAreBoundedTogetherAndAttributesEach() {
    assertThat(set("https://example.com/", "a=" + "x".repeat(4_095))).hasSize(1);
    assertThat(set("https://example.com/", "a=" + "x".repeat(4_096))).isEmpty();
    assertThat(set("https://example.com/", "a=1; Path=/" + "x".repeat(1_024)))
        .singleElement()
        .extracting(SeenCookie::path)
        .isEqualTo("/");
  }

  @Test
  void cookiesThatWereSentHaveNoAttributes() {
    List<SeenCookie> sent =
        CookieReader.read(
            WebUrl.of("http://example.com/a/b"),
            Map.of("cookie", List.of("__Host-a=1; b=2=3; c; =4", "d=5")),
            Map.of(),
            NOW);

    assertThat(sent).extracting(SeenCookie::name).containsExactly("__Host-a", "b", "d");
    assertThat(sent).allMatch(cookie -> cookie.path().equals("/a") && !cookie.isSet());
  }

  @Test
  void ipAddressHasNoParentDomain() {
    assertThat(set("http://10.0.0.1/", "a=1; Domain=0.0.1")).isEmpty();
    assertThat(set("http://10.0.0.1/", "a=1; Domain=10.0.0.1")).hasSize(1);
  }
}
