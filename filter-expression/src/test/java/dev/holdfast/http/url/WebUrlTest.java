package dev.holdfast.http.url;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class WebUrlTest {

  private static final JsonMapper JSON = new JsonMapper();

  /** What a browser allows in a host, and a header or a name server would not. */
  private static final String ONLY_IN_BROWSERS = "[^a-z0-9_.\\-\\[\\]:]";

  private static List<String> table() throws IOException {
    try (InputStream in = WebUrlTest.class.getResourceAsStream("browser-urls.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    }
  }

  @Test
  void urlsAreReadAndWrittenAsABrowserDoes() throws IOException {
    List<String> wrong = new ArrayList<>();
    int same = 0;
    for (String line : table()) {
      String[] cells = line.split("\t", -1);
      if (cells[0].contains("xn--") && cells[1].equals("null")) {
        continue; // what such a label decodes to is not checked
      }
      String text = JSON.readTree(cells[0]).stringValue();
      String expected = cells[1].equals("null") ? null : JSON.readTree(cells[1]).stringValue();
      if (expected != null && expected.split("/", 4)[2].matches(".*" + ONLY_IN_BROWSERS + ".*")) {
        expected = null;
      }
      Optional<WebUrl> read =
          cells.length == 2
              ? WebUrl.parse(text)
              : WebUrl.of(JSON.readTree(cells[2]).stringValue()).resolve(text);
      String actual = read.map(WebUrl::toString).orElse(null);
      if (Objects.equals(actual, expected)) {
        same++;
      } else {
        wrong.add(cells[0] + " is " + actual + ", not " + expected);
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(same).isGreaterThan(1_000);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '`',
      value = {
        "https://a_b.example.com/x a_b.example.com 443 /x",
        "http://example.com:8080/a|b?c={d} example.com 8080 /a|b",
        "http://example.com/{a}/../[b]^c example.com 80 /[b]%5Ec",
        "wss://[::1]/ [::1] 443 /",
      })
  void thePartsAreThoseOfWhatIsWritten(String text, String host, int port, String path) {
    WebUrl url = WebUrl.of(text);

    assertThat(url.host()).isEqualTo(host);
    assertThat(url.port()).isEqualTo(port);
    assertThat(url.path()).isEqualTo(path);
    assertThat(url).isEqualTo(WebUrl.of(url.toString())).hasSameHashCodeAs(url.toString());
  }

  @Test
  void whatWasGivenIsKeptBesideWhatIsWritten() {
    WebUrl url = WebUrl.of("http://example.com/a/../b c?d e#f");

    assertThat(url.target()).isEqualTo("/b%20c?d%20e");
    assertThat(url.givenPath()).isEqualTo("/a/../b c");
    assertThat(url.givenQuery()).isEqualTo("d e");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://a\"b.example.com/",
        "http://a;b.example.com/",
        "http://a'b.example.com/",
        "http://a,b.example.com/",
        "http://a{b.example.com/"
      })
  void hostsThatWouldChangeAHeaderAreNone(String text) {
    assertThat(WebUrl.parse(text)).isEmpty();
  }

  @Property
  void whatIsWrittenIsReadAsItself(@ForAll("texts") String text) {
    WebUrl.parse(text)
        .ifPresent(
            url -> {
              assertThat(WebUrl.parse(url.toString())).contains(url);
              assertThat(url.toString()).matches("[!-~]+").doesNotContain("\"", "<", ">", "#");
              assertThat(url.host()).matches("[a-z0-9_.-]+|\\[[0-9a-f:]+]");
              assertThat(url.resolve("")).contains(url);
              assertThat(url.resolve("." + url.target()))
                  .map(WebUrl::origin)
                  .contains(url.origin());
            });
  }

  /** Whatever the platform's own type takes for a URL with a name is one here, with that name. */
  @Property
  void whatTheStricterTypeReadsIsReadAlike(@ForAll("texts") String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      return;
    }
    boolean named = uri.getHost() != null && uri.getHost().matches("([a-z][a-z.-]*)?[a-z]");
    if (named && "http".equals(uri.getScheme()) && uri.getPort() <= 65_535) {
      assertThat(WebUrl.parse(text)).as(text).map(WebUrl::host).contains(uri.getHost());
    }
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> part =
        Arbitraries.of(
            "http://",
            "https://",
            "ws:",
            "wss://",
            "http:\\\\",
            "example.com",
            "a_b",
            "bücher",
            "ß",
            "[::1]",
            "1.2.3.4",
            "0x7f",
            ":80",
            ":443",
            ":99999",
            "@",
            "user",
            "/",
            "\\",
            "..",
            ".",
            "%2e",
            "%zz",
            "?",
            "#",
            "|",
            "{",
            "}",
            "^",
            " ",
            "\"",
            "'",
            "<",
            "日本",
            "\uD83D\uDE00",
            "\uD83D",
            "\t",
            "\u0000",
            "x",
            "xn--",
            "-",
            "..",
            "a.b");
    return part.list()
        .ofMinSize(0)
        .ofMaxSize(9)
        .map(parts -> String.join("", parts))
        .flatMap(
            tail ->
                Arbitraries.of("", "http://", "https://example.com/", "https://a")
                    .map(head -> head + tail));
  }
}
