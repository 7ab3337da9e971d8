package dev.holdfast.http.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.url.WebUrl;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of fields for whole requests. */
class HttpFieldsTest {

  private static FilterRequest request(Map<String, List<String>> headers) {
    return FilterRequest.ofHttp(
        "POST",
        WebUrl.of("https://shop.example.com/a?a=1&b=2&a=3"),
        headers,
        Instant.parse("2026-11-24T12:00:00.123456Z"));
  }

  private static boolean matches(String expression, FilterRequest request) throws Exception {
    return FilterExpression.parse(expression).matches(request);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http.user_agent",
        "http.referer",
        "http.cookie",
        "http.x_forwarded_for",
        "http.request.body.mime"
      })
  void aHeaderThatTheRequestLacksIsEmpty(String field) throws Exception {
    FilterRequest without = request(Map.of());

    assertThat(matches(field + " eq \"\"", without)).isTrue();
    assertThat(matches(field + " ne \"x\"", without)).isTrue();
    assertThat(matches("len(" + field + ") == 0", without)).isTrue();
    assertThat(matches(field + " contains \"x\"", without)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "http.request.timestamp.sec == 1795521600",
        "http.request.timestamp.msec == 123",
        "join(http.request.uri.args.names, \",\") == \"a,b,a\"",
        "join(http.request.uri.args.values, \",\") == \"1,2,3\"",
        "join(http.request.uri.args[\"a\"], \",\") == \"1,3\"",
        "join(raw.http.request.uri.args.values, \",\") == \"1,2,3\"",
        "join(http.request.cookies.names, \",\") == \"sid,b,sid\"",
        "join(http.request.cookies[\"sid\"], \",\") == \"1,%33\"",
        "join(http.request.accepted_languages, \",\") == \"fr-CH,en,fr,de\"",
        "join(http.request.headers[\"x-a\"], \",\") == \"1,2\"",
        "any(http.request.headers.values[*] == \"2\")",
      })
  void fieldsAreThoseOfTheRequest(String expression) throws Exception {
    Map<String, List<String>> headers =
        Map.of(
            "cookie", List.of("sid=1; b=2; %73id=%33"),
            "x-a", List.of("1", "2"),
            "accept-language", List.of("fr-CH, fr;q=0.8, en;q=0.9", "de;q=0.7, *;q=0.5"));

    assertThat(matches(expression, request(headers))).isTrue();
  }

  @Test
  void namesAndValuesOfAFormAreInTheOrderOfTheRequest() throws Exception {
    FilterRequest form =
        request(Map.of("content-type", List.of("application/x-www-form-urlencoded")))
            .withBody(ByteBuffer.wrap("a=1&b=x+y&%61=3".getBytes(StandardCharsets.UTF_8)), false);

    assertThat(matches("join(http.request.body.form.names, \",\") == \"a,b,a\"", form)).isTrue();
    assertThat(matches("join(http.request.body.form.values, \",\") == \"1,x y,3\"", form)).isTrue();
    assertThat(matches("join(http.request.body.form[\"a\"], \",\") == \"1,3\"", form)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"true, 2000000, 2000000", "true, 2, 4", "true, , 4", "false, 2000000, 4"})
  void sizeIsThatOfTheWholeBodyIfItIsStated(boolean isCut, @Nullable String length, long size)
      throws Exception {
    FilterRequest request =
        request(length == null ? Map.of() : Map.of("content-length", List.of(length)))
            .withBody(ByteBuffer.wrap(new byte[4]), isCut);

    assertThat(matches("http.request.body.size == " + size, request)).isTrue();
  }
}
