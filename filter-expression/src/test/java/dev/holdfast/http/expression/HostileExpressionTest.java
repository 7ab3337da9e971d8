package dev.holdfast.http.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Hostile expressions and values that are meant to use much memory or time. */
class HostileExpressionTest {

  @Test
  void valueOfAStarIsNotReadAsAPlaceForAnotherOne() throws Exception {
    FilterExpression expression =
        FilterExpression.parse("wildcard_replace(http.user_agent, \"*/*\", \"${1}\") eq \"${2}\"");
    FilterRequest request = FilterRequest.EMPTY.with("http.user_agent", "${2}/x");
    assertThat(expression.matches(request)).isTrue();
  }

  @Test
  void visitorCannotMakeAReplacementLarge() throws Exception {
    FilterExpression expression =
        FilterExpression.parse(
            "len(wildcard_replace(http.user_agent, \"*/*/*\", \"${1}\")) lt 20000");
    FilterRequest request =
        FilterRequest.EMPTY.with(
            "http.user_agent",
            "${2}".repeat(1_300) + "/" + "${3}".repeat(1_300) + "/" + "x".repeat(5_000));
    assertThatCode(() -> assertThat(expression.matches(request)).isTrue())
        .doesNotThrowAnyException();
  }

  @Test
  void nestedReplacementsDoNotUseUpTheMemory() throws Exception {
    String operand = "http.user_agent";
    for (int i = 0; i < 36; i++) {
      operand = "wildcard_replace(" + operand + ",\"*\",\"${1}${1}\")";
    }
    FilterExpression expression = FilterExpression.parse("len(" + operand + ") gt 1");
    FilterRequest request = FilterRequest.EMPTY.with("http.user_agent", "x");
    assertThatThrownBy(() -> expression.matches(request)).isInstanceOf(FilterWorkException.class);
  }

  @Test
  void nestedRepetitionsAreRefused() {
    assertThatCode(
            () -> FilterExpression.parse("http.host matches \"((((x{100}){100}){100}){100}){10}\""))
        .isInstanceOf(FilterSyntaxException.class);
  }
}
