package dev.holdfast.http.expression;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What is printed is read back as the same; what is no expression is refused, never a crash. */
class CanonicalFormTest {

  @Property(tries = 500)
  void theCanonicalFormIsReadBackAsTheSame(@ForAll("expressions") String text) throws Exception {
    FilterExpression expression = FilterExpression.parse(text);

    FilterExpression again = FilterExpression.parse(expression.canonical());

    assertThat(again.condition()).isEqualTo(expression.condition());
    assertThat(again.canonical()).isEqualTo(expression.canonical());
  }

  @Property(tries = 1_000)
  void noTextCrashesTheParser(@ForAll("noise") String text) {
    try {
      FilterExpression.parse(text).matches(FilterRequest.EMPTY);
    } catch (FilterSyntaxException refused) {
      assertThat(refused.line()).isPositive();
      assertThat(refused.column()).isPositive();
    }
  }

  @Provide
  Arbitrary<String> noise() {
    Arbitrary<String> tokens =
        Arbitraries.of(
            "http.host",
            "ip.src",
            "ssl",
            "eq",
            "ne",
            "in",
            "{",
            "}",
            "(",
            ")",
            "\"x\"",
            "\"",
            "r#",
            "not",
            "and",
            "or",
            "xor",
            "any",
            "all",
            "[*]",
            "[0]",
            "[\"a\"]",
            "len(",
            "1",
            "0x",
            "09",
            "192.0.2.1",
            "/24",
            "..",
            "::",
            "$x",
            "matches",
            "wildcard",
            "\"**\"",
            "\\",
            ",",
            "\t",
            "http.request.headers",
            "concat(",
            "\uD83D\uDE00",
            "\n");
    return tokens.list().ofMaxSize(14).map(list -> String.join(" ", list));
  }

  @Provide
  Arbitrary<String> expressions() {
    return Arbitraries.lazyOf(this::leaf, this::leaf, this::leaf, this::joined, this::negated);
  }

  private Arbitrary<String> joined() {
    return Combinators.combine(
            expressions().list().ofMinSize(2).ofMaxSize(3),
            Arbitraries.of("or", "and", "xor", "||"))
        .as((parts, operator) -> "(" + String.join(" " + operator + " ", parts) + ")")
        .filter(text -> text.length() < 2_000);
  }

  private Arbitrary<String> negated() {
    return expressions().map(part -> "not " + part);
  }

  private Arbitrary<String> leaf() {
    Arbitrary<String> bytes =
        Arbitraries.strings()
            .withChars("ab\"\\*üé\u0001 #")
            .ofMaxLength(6)
            .map(text -> "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
    Arbitrary<String> compared =
        Combinators.combine(
                Arbitraries.of(
                    "http.host",
                    "lower(http.cookie)",
                    "http.request.headers[\"a\"][1]",
                    "concat(http.host, \"-\", ip.src.asnum)",
                    "url_decode(http.request.uri, \"ur\")"),
                Arbitraries.of("eq", "!=", "lt", ">=", "contains"),
                bytes)
            .as((field, operator, literal) -> field + " " + operator + " " + literal);
    Arbitrary<String> numbers =
        Combinators.combine(
                Arbitraries.of("eq", "in", "bitwise_and"), Arbitraries.longs(), Arbitraries.longs())
            .as(
                (operator, one, other) ->
                    "ip.src.asnum "
                        + (operator.equals("in")
                            ? "in {"
                                + one
                                + " "
                                + Math.min(one, other)
                                + ".."
                                + Math.max(one, other)
                                + "}"
                            : operator + " " + one));
    Arbitrary<String> addresses =
        Arbitraries.of(
            "ip.src in {10.0.0.0/8 2001:db8::/33 ::ffff:1.2.3.4..::ffff:1.2.3.9}",
            "ip.src eq ::1",
            "ip.src in $list.name",
            "any(http.request.headers[\"x\"][*] matches r#\"a\"b[\"]\"#)",
            "all(lower(http.request.headers.names[*])[*] strict wildcard \"a*\\\\*b\")",
            "http.host matches \"[\\\"]\\\"\\.\"",
            "any(starts_with(http.request.uri.args.names[*], \"x\"))",
            "any(not http.request.headers.names[*] eq \"a\" xor !(http.request.headers.names[*] eq"
                + " \"b\" or starts_with(http.request.headers.names[*], \"c\")))",
            "ssl",
            "true");
    Arbitrary<String> sets =
        bytes
            .list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .map(all -> "http.host in {" + String.join(" ", all) + "}");
    return Arbitraries.oneOf(List.of(compared, numbers, addresses, sets));
  }
}
