package dev.holdfast.http.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an evaluation may cost, counted in units of work and not in time. */
class EvaluationWorkTest {

  private static final String LARGE_REGEX = "http.user_agent matches \"(x{1,30}){60}y1\"";

  private static FilterRequest agent(int length) {
    return FilterRequest.EMPTY.with("http.user_agent", "x".repeat(length));
  }

  @Test
  void regularExpressionsOfAnExpressionHaveABoundedNumberOfStates() throws Exception {
    assertThatThrownBy(() -> FilterExpression.parse(LARGE_REGEX))
        .isInstanceOf(FilterSyntaxException.class)
        .hasMessageContaining("regular expressions too large: 3664 states up to here, the limit is")
        .hasMessageContaining("2000 for an expression");

    String half = "http.host matches \"x{980}\"";
    assertThat(FilterExpression.parse(half + " or " + half).regexStates()).isEqualTo(1_964);
    assertThatThrownBy(() -> FilterExpression.parse(half + " or " + half + " or " + half))
        .isInstanceOf(FilterSyntaxException.class)
        .hasMessageContaining("2946 states");
    String replacing = "regex_replace(http.host, \"x{980}\", \"\") eq \"\"";
    assertThatThrownBy(() -> FilterExpression.parse(half + " or " + half + " or " + replacing))
        .isInstanceOf(FilterSyntaxException.class);
  }

  @Test
  void expressionStoredBeforeThereWasALimitIsReadAndItsEvaluationBounded() throws Exception {
    FilterExpression stored = FilterExpression.parseStored(LARGE_REGEX, false);

    assertThat(stored.matches(agent(500))).isFalse();
    assertThatThrownBy(() -> stored.matches(agent(120_000)))
        .isInstanceOf(FilterWorkException.class)
        .hasMessageContaining("takes more work than is allowed");
  }

  @Test
  void valuesBelowAThousandBytesAreMatchedWithWhateverExpressionIsAccepted() throws Exception {
    String half = "http.user_agent matches \"x{988}y\"";
    FilterExpression largest =
        FilterExpression.parse(half + " or " + half + " or http.user_agent matches \"(y|x{7})\"");
    assertThat(largest.regexStates()).isBetween(1_990, FilterExpression.REGEX_STATES_MAX);

    assertThat(largest.matches(agent(999))).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "http.user_agent matches `x{1000}`",
        "any(http.request.headers.values[*] matches `x{1000}`)",
        "regex_replace(http.user_agent, `(x?){300}`, `y`) eq ``",
        "http.user_agent contains `LONG`",
        "http.user_agent wildcard `*LONG*z`",
        "any(split(http.user_agent, `LONG`, 128)[*] eq ``)",
        "len(join(http.request.headers.names, http.user_agent)) eq 1",
        "concat(LIST) eq `z`",
        "any(http.request.headers.names[*] in {`a` `b`}) or any(NAMES)",
        "any(http.request.headers[*][*] eq `z`) or any(http.request.headers[*][*] eq `z`)",
        "DEEPLY<remove_bytes(,http.user_agent)>",
        "DEEPLY<lower(,)>",
        "DEEPLY<url_decode(,`r`)>",
        "DEEPLY<remove_query_args(,`x`)>",
        "DEEPLY<substring(,0)>",
        "DEEPLY<encode_base64(,)>",
        "lookup_json_string(http.cookie, `a`) eq `` or lookup_json_integer(http.cookie, 0) eq 1",
      })
  void whatReadsMuchTooOftenIsStoppedBeforeItBegins(String template) throws Exception {
    FilterExpression expression = FilterExpression.parse(filled(template));
    FilterRequest request =
        agent(250_000)
            .with("http.cookie", "[".repeat(250_000))
            .with("http.request.headers.names", Collections.nCopies(150_000, "n"))
            .with("http.request.headers", Map.of("a", Collections.nCopies(150_000, "n")))
            .with("http.request.headers.values", Collections.nCopies(1_000, "x".repeat(200)));

    assertThatThrownBy(() -> expression.matches(request)).isInstanceOf(FilterWorkException.class);
    assertThat(expression.matches(FilterRequest.EMPTY)).isFalse();
  }

  @Test
  void resultThatIsTooLongLeavesTheExpressionUndecided() throws Exception {
    FilterRequest longest = agent(1 << 19);
    FilterRequest longer = agent((1 << 19) + 1);
    for (String text :
        List.of(
            "concat(http.user_agent, http.user_agent) contains \"xx\"",
            "not concat(http.user_agent, http.user_agent) contains \"y\"",
            "wildcard_replace(http.user_agent, \"*\", \"${1}${1}\") contains \"xx\"")) {
      FilterExpression expression = FilterExpression.parse(text);

      assertThat(expression.matches(longest)).isTrue();
      assertThatThrownBy(() -> expression.matches(longer)).isInstanceOf(FilterWorkException.class);
    }
  }

  private static String filled(String template) {
    String text =
        template
            .replace("LONG", "x".repeat(1_000) + "y")
            .replace("LIST", String.join(",", Collections.nCopies(240, "http.user_agent")))
            .replace("NAMES", "http.request.headers.names[*] in {`a` `b`}");
    if (text.startsWith("DEEPLY")) {
      String[] call = text.substring(7, text.length() - 1).split("\\(,", -1);
      String end = (call[1].startsWith(")") ? "" : ", ") + call[1];
      String operand = "http.user_agent";
      for (int i = 0; i < 120; i++) {
        operand = call[0] + "(" + operand + end;
      }
      text = operand + " eq ``";
    }
    return text.replace('`', '"');
  }

  @Test
  void expressionsForOneRequestShareWhatTheyMayTake() throws Exception {
    FilterExpression expression = FilterExpression.parse("http.user_agent matches \"x{180}y\"");
    FilterRequest request = agent(10_000);
    FilterWork work = new FilterWork();
    for (int i = 0; i < 10; i++) {
      assertThat(expression.matches(request, work)).isFalse();
    }
    assertThatThrownBy(() -> expression.matches(request, work))
        .isInstanceOf(FilterWorkException.class);
    assertThat(expression.matches(request, new FilterWork())).isFalse();
  }

  @Test
  void usualExpressionsTakeLittleOfIt() throws Exception {
    FilterRequest request =
        FilterRequest.EMPTY
            .with("http.user_agent", "Mozilla/5.0 ".repeat(20))
            .with("http.request.uri.path", "/shop/" + "item/".repeat(200))
            .with("http.request.headers.names", List.of("host", "accept"));
    FilterWork work = new FilterWork();
    for (String text :
        List.of(
            "http.user_agent matches \"(?i)(bot|crawler|spider|curl|wget|python)[/ ][0-9]+\"",
            "http.request.uri.path contains \"/wp-admin\" and not ssl",
            "lower(http.request.uri.path) wildcard \"/shop/*/item/*\"",
            "any(lower(http.request.headers.names[*])[*] eq \"x-forwarded-for\")")) {
      for (int i = 0; i < 100; i++) {
        FilterExpression.parse(text).matches(request, work);
      }
    }
    assertThat(work.spent()).isLessThan(FilterWork.REQUEST_MAX / 2);
  }
}
