package dev.holdfast.http.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FilterExpressionTest {

  private static final FilterRequest REQUEST =
      FilterRequest.EMPTY
          .with("http.host", "Shop.example.com")
          .with("http.request.method", "GET")
          .with("http.request.uri.path", "/articles/2024/Überblick")
          .with("http.request.uri.query", "a=1&b=2&a=3")
          .with("http.user_agent", "curl/8.0")
          .with("ssl", true)
          .with("ip.src", "192.0.2.17")
          .with("ip.src.asnum", 64496)
          .with("http.request.headers.names", List.of("host", "x-forwarded-for", "x-a"))
          .with(
              "http.request.headers",
              Map.of("x-a", List.of("one", "two"), "x-empty", List.of("", "b")))
          .with("cf.edge.server_ip", "2001:db8::1")
          .with("http.request.uri.args", Map.of("json", List.of("{\"user\":{\"id\":7}}")));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "true | true",
        "false | false",
        "ssl | true",
        "not ssl | false",
        "!ssl or ssl | true",
        "ssl xor ssl | false",
        "ssl ^^ not ssl | true",
        "not ssl and ssl | false",
        "not (ssl and false) | true",
        "true or false and false | true",
        "http.host eq \"Shop.example.com\" | true",
        "http.host == \"shop.example.com\" | false",
        "lower(http.host) == \"shop.example.com\" | true",
        "http.host ne \"x\" | true",
        "http.referer ne \"x\" | false",
        "not http.referer eq \"x\" | true",
        "http.host contains \"example\" | true",
        "http.request.uri.path contains \"Überblick\" | true",
        "http.request.uri.path contains \"\\xc3\\x9cber\" | true",
        "http.request.uri.path matches \"^/articles/[0-9]{4}/\" | true",
        "http.request.uri.path ~ r\"^/articles/\\d{4}/\" | true",
        "http.request.uri.path matches \"(?i)ÜBERBLICK$\" | true",
        "http.host wildcard \"*.EXAMPLE.com\" | true",
        "http.host strict wildcard \"*.EXAMPLE.com\" | false",
        "http.host strict wildcard \"Shop*com\" | true",
        "http.host wildcard \"*.example.org\" | false",
        "http.host wildcard \"shop.example.com\\\\*\" | false",
        "http.host in {\"a\" \"Shop.example.com\"} | true",
        "ip.src eq 192.0.2.17 | true",
        "ip.src in {192.0.2.0/24 2001:db8::/32} | true",
        "ip.src in {192.0.2.1..192.0.2.16} | false",
        "ip.src in {192.0.2.17..192.0.2.18} | true",
        "ip.src in $blocked | false",
        "ip.src ne ::1 | true",
        "ip.src.asnum in {1 64000..65000} | true",
        "ip.src.asnum gt 64496 | false",
        "ip.src.asnum >= 0xfbf0 | true",
        "ip.src.asnum & 0x10 | true",
        "ip.src.asnum bitwise_and 0x01 | false",
        "http.user_agent == 63:75:72:6c:2f:38:2e:30 | true",
        "any(http.request.headers.names[*] == \"x-a\") | true",
        "all(http.request.headers.names[*] contains \"x\") | false",
        "any(http.request.headers[\"x-a\"][*] eq \"two\") | true",
        "http.request.headers[\"x-a\"][0] eq \"one\" | true",
        "http.request.headers[\"x-a\"][7] ne \"one\" | false",
        "http.request.headers[\"none\"][0] ne \"one\" | false",
        "any(upper(http.request.headers[\"x-a\"][*])[*] == \"TWO\") | true",
        "any(starts_with(http.request.headers.names[*], \"x-f\")) | true",
        "len(http.request.headers.names) == 3 | true",
        "len(http.request.uri.path) == 25 | true",
        "starts_with(http.host, \"Shop\") | true",
        "ends_with(http.host, \".com\") and ssl | true",
        "substring(http.host, 0, 4) == \"Shop\" | true",
        "substring(http.host, -3) == \"com\" | true",
        "concat(http.host, \"/\", ip.src.asnum) == \"Shop.example.com/64496\" | true",
        "concat(\"/\", http.request.headers[\"none\"][0], http.host) == \"/Shop.example.com\" |"
            + " true",
        "any(concat(http.request.headers[\"x-a\"][*], http.referer)[*] == \"one\") | true",
        "any(concat(http.request.headers[\"none\"][*], http.host)[*] ne \"x\") | false",
        "regex_replace(http.host, \"^([A-Z])hop\", \"${1}top$$\") == \"Stop$.example.com\" | true",
        "wildcard_replace(http.host, \"*.example.*\", \"${2}.${1}\") == \"com.Shop\" | true",
        "remove_bytes(http.host, \".\") == \"Shopexamplecom\" | true",
        "remove_query_args(http.request.uri.query, \"a\") == \"b=2\" | true",
        "split(http.host, \".\", 3)[1] == \"example\" | true",
        "join(http.request.headers[\"x-a\"], \"+\") == \"one+two\" | true",
        "to_string(ip.src.asnum) == \"64496\" | true",
        "to_string(ssl) == \"true\" | true",
        "lookup_json_integer(http.request.uri.args[\"json\"][0], \"user\", \"id\") == 7 | true",
        "lookup_json_string(http.request.uri.args[\"json\"][0], \"user\", \"x\") == \"7\" | false",
        "cidr(ip.src, 24, 32) == 192.0.2.0 | true",
        "has_key(http.request.headers, \"x-a\") | true",
        "has_value(http.request.headers.names, \"nope\") | false",
        "encode_base64(http.request.method, \"p\") == \"R0VU\" | true",
        "any(url_decode(http.request.headers.names[*])[*] == \"host\") | true",
        "any(not http.request.headers.names[*] contains \"x\") | true",
        "all(not http.request.headers.names[*] contains \"x\") | false",
        "all(not len(http.request.headers[\"x-a\"][*])[*] in {4 5}) | true",
        "all(not len(http.request.headers[\"none\"][*])[*] in {4 5}) | false",
        "any(http.request.headers[\"x-a\"][*] eq \"one\" and http.request.headers[\"x-a\"][*] eq"
            + " \"two\") | false",
        "all(http.request.headers[\"x-a\"][*] eq \"one\" or http.request.headers[\"x-a\"][*] eq"
            + " \"two\") | true",
        "any((not http.request.headers[\"x-a\"][*] eq \"one\") and not"
            + " starts_with(http.request.headers[\"x-a\"][*], \"tx\")) | true",
        "join(http.request.headers[\"x-empty\"], \",\") == \",b\" | true",
        "to_string(cf.edge.server_ip) == \"2001:db8::1\" | true",
        "any(http.request.body.multipart.names[*][0] == \"picture\") | false",
        "cf.edge.client_tcp or cf.waf.score.class == \"attack\" | false",
      })
  void expressionsAreTrueOrFalse(String expression, boolean expected) throws Exception {
    assertThat(FilterExpression.parse(expression).matches(REQUEST)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "nothing eq 1 | 1 | unknown identifier",
        "http.host | 1 | expected value of type Bool, but got Bytes",
        "http.host eq 5 | 14 | expected literal \"\\\"\"",
        "http.host eq \"x | 14 | could not find an ending quote",
        "http.host eq \"\\q\" | 16 | expected \", xHH or OOO after \\",
        "http.host is \"x\" | 11 | expected ComparisonOp",
        "ssl == true | 5 | unrecognised input",
        "ssl and | 8 | expected identifier",
        "(ssl | 5 | expected literal \")\"",
        "ip.src==34 | 9 | couldn't parse address in network: invalid IP address syntax",
        "ip.src in {192.0.2.1/24} | 12 | host part of address was not zero",
        "ip.src in {192.0.2.9..192.0.2.1} | 12 | incompatible range bounds",
        "ip.src contains \"x\" | 8 | cannot perform this operation on type Ip",
        "ip.src.asnum eq 09 | 17 | invalid digit found in string while parsing with radix 8",
        "ip.src.asnum eq 99999999999999999999 | 17 | number too large to fit in target type while"
            + " parsing with radix 10",
        "ip.src.asnum in {1,2} | 19 | expected literal \"}\"",
        "x not in {1} | 1 | unknown identifier",
        "ip.src not in {192.0.2.1} | 8 | expected ComparisonOp",
        "http.request.headers eq \"x\" | 1 | cannot perform this operation on type"
            + " Map(Array(Bytes))",
        "http.request.headers[0][0] eq \"x\" | 21 | cannot access index [0] for type"
            + " Map(Array(Bytes))",
        "http.host[0] eq \"x\" | 10 | cannot access index [0] for type Bytes",
        "http.request.headers.names[*] eq \"x\" | 1 | invalid use of map each access operator",
        "any(not http.host eq \"x\") | 9 | expected value of type Array(Bool), but got Bytes",
        "any(http.host) | 5 | expected value of type Array(Bool), but got Bytes",
        "lower() == \"x\" | 1 | invalid number of arguments",
        "lower(ip.src) == \"x\" | 7 | invalid type of argument #1: expected value of type Bytes,"
            + " but got Ip",
        "lower(\"X\") == \"x\" | 7 | invalid kind of argument #1: expected a field",
        "split(http.host, \".\", 129)[0] eq \"x\" | 23 | invalid value of argument #3: expected 1"
            + " to 128",
        "split(http.host, \"\", 2)[0] eq \"x\" | 18 | invalid value of argument #2: expected a text"
            + " with characters",
        "cidr(ip.src, 33, 64) eq 192.0.2.0 | 14 | invalid value of argument #2: expected 1 to 32",
        "cidr6(ip.src, 0) eq ::1 | 15 | invalid value of argument #2: expected 1 to 128",
        "wildcard_replace(http.host, \"a**\", \"\") eq \"x\" | 29 | wildcard contains a double"
            + " star",
        "ip.src in $UPPER | 11 | invalid list name \"\"",
        "http.host wildcard \"a**\" | 20 | wildcard contains a double star",
        "http.host matches \"(\" | 19 | failed to parse regex: missing closing )",
      })
  void mistakesAreShownWhereTheyAre(String expression, int column, String reason) {
    FilterSyntaxException mistake =
        assertThrows(FilterSyntaxException.class, () -> FilterExpression.parse(expression));

    assertThat(mistake.reason()).isEqualTo(reason);
    assertThat(mistake.column()).isEqualTo(column);
  }

  @Test
  void storedExpressionThatNeverHoldsIsStillRead() throws Exception {
    for (String text :
        List.of(
            "cidr(ip.src, 33, 64) eq 192.0.2.0",
            "split(http.host, \"\", 129)[0] eq \"x\"",
            "wildcard_replace(http.host, \"a**\", \"\") eq \"x\"")) {
      assertThat(FilterExpression.parseStored(text, false).matches(REQUEST)).isFalse();
    }
  }

  @Test
  void theMessageShowsTheLineAndPointsAtTheMistake() {
    assertThatThrownBy(() -> FilterExpression.parse("ssl and\n  ip.src==34"))
        .hasMessage(
            """
            Filter parsing error (2:11):
              ip.src==34
                      ^^ couldn't parse address in network: invalid IP address syntax
            """);
  }

  @Test
  void aTabIsNoSpace() {
    assertThatThrownBy(() -> FilterExpression.parse("ssl\tand ssl"))
        .isInstanceOf(FilterSyntaxException.class);
  }

  @Test
  void deepNestingIsRefusedAndNotACrash() {
    String deep = "(".repeat(2_000) + "ssl" + ")".repeat(2_000);

    assertThatThrownBy(() -> FilterExpression.parse(deep))
        .hasMessageContaining("maximum nesting depth exceeded (limit: 128)");
    assertThatThrownBy(() -> FilterExpression.parse("!".repeat(2_000) + "ssl"))
        .hasMessageContaining("maximum nesting depth exceeded (limit: 128)");
  }

  @Test
  void anExpressionHasAtMost64RegularExpressionsHoweverTheyAreWritten() throws Exception {
    String match = "http.host ~ \"a\"";
    String replacement = "regex_replace(http.host, \"a\", \"b\") eq \"c\"";
    String most = (match + " or ").repeat(62) + match + " or " + replacement;
    FilterExpression.parse(most);

    for (String oneMore : List.of(match, replacement)) {
      assertThatThrownBy(() -> FilterExpression.parse(most + " or " + oneMore))
          .isInstanceOf(FilterSyntaxException.class)
          .hasMessageContaining("64");
    }
  }

  @Test
  void theLimitIsFourKibibytesOfUtf8() throws Exception {
    String longest = "http.host eq \"" + "x".repeat(4_096 - 15) + "\"";
    assertThat(longest).hasSize(4_096);
    FilterExpression.parse(longest);

    assertThatThrownBy(() -> FilterExpression.parse(longest.replaceFirst("x", "ü")))
        .hasMessageContaining("4097 bytes");
  }

  @Test
  void onlyPoliciesMayNameHostsWithoutQuotes() throws Exception {
    String expression = "http.host eq shop.example.com";
    FilterRequest request = FilterRequest.EMPTY.with("http.host", "shop.example.com");

    assertThat(FilterExpression.parseLenient(expression).matches(request)).isTrue();
    assertThatThrownBy(() -> FilterExpression.parse(expression))
        .isInstanceOf(FilterSyntaxException.class);
  }
}
