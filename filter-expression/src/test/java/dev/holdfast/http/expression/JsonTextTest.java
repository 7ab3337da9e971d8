package dev.holdfast.http.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {

  @Test
  void valuesAreRead() {
    assertThat(JsonText.read(" {\"a\" : [ 1 , -20,{}, [] ],\"b\":\"\\\"\\u00e9\\n/\", \"a\":2 } "))
        .isEqualTo(Map.of("a", 2L, "b", "\"é\n/"));
    assertThat(JsonText.read("[9223372036854775807,0]")).isEqualTo(List.of(Long.MAX_VALUE, 0L));
    assertThat(JsonText.read("\"\uFFFF\"")).isEqualTo("\uFFFF");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"true", "false", "null", "1.5", "-0.25", "1e3", "1E-3", "99999999999999999999"})
  void otherValuesAreNeitherTextNorIntegers(String text) {
    assertThat(JsonText.read(text)).isSameAs(JsonText.OTHER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[",
        "[1",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\":1 \"b\":2}",
        "{1:2}",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "0x1",
        "tru",
        "nul",
        "\"",
        "\"\\",
        "\"\\q\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\n\"",
        "1 2",
        "{} x",
        "'a'",
        "\uFFFF",
        "NaN"
      })
  void everythingElseIsNotJson(String text) {
    assertThat(JsonText.read(text)).isNull();
  }

  @Test
  void deepTextIsNotReadAndTakesNoStack() {
    assertThat(JsonText.read("[".repeat(500) + "]".repeat(500))).isNotNull();
    assertThat(JsonText.read("[".repeat(1_000_000) + "]".repeat(1_000_000))).isNull();
  }
}
