package dev.holdfast.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.filter.HeadersException.Reason;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HeadersTest {

  private static void refuses(Reason reason, ThrowingCallable code) {
    assertThatExceptionOfType(HeadersException.class)
        .isThrownBy(code)
        .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(reason));
  }

  private static Headers numbered(int count) {
    Headers headers = Headers.NONE;
    for (int number = 0; number < count; number++) {
      headers = headers.with("h" + number, "");
    }
    return headers;
  }

  @Test
  void headersAreAddedReplacedAndRemovedInOrder() {
    Headers first = Headers.of("b", "1");
    Headers second = first.with("a", "2").with("b", "3");

    assertThat(first.asMap()).hasToString("{b=1}");
    assertThat(second.asMap()).hasToString("{b=3, a=2}");
    assertThat(second.get("a")).contains("2");
    assertThat(second.get("c")).isEmpty();
    assertThat(second.without("b")).isEqualTo(Headers.of("a", "2"));
    assertThat(second.without("c")).isSameAs(second);
    assertThat(first.without("b").isEmpty()).isTrue();
  }

  @Test
  void othersReplaceHeadersOfTheSameName() {
    Headers all = Headers.of("a", "1").with("b", "2").withAll(Headers.of("b", "3").with("c", "4"));

    assertThat(all.asMap()).hasToString("{a=1, b=3, c=4}");
  }

  @Test
  void mapCannotBeChanged() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> Headers.of("a", "1").asMap().put("b", "2"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Trace", "a b", "a:b", "ä", "a\n", "a/b", "a\0"})
  void nameThatIsNoLowerCaseTokenIsRefused(String name) {
    refuses(Reason.NAME, () -> Headers.of(name, "1"));
  }

  @Test
  void everyMarkOfATokenMayBeInAName() {
    String name = "az09!#$%&'*+-.^_`|~";
    assertThat(Headers.of(name, "1").get(name)).contains("1");
  }

  @Test
  void thirtyTwoHeadersAreFineAndOneMoreIsRefused() {
    Headers most = numbered(32);

    assertThat(most.with("h0", "replaced").asMap()).hasSize(32);
    refuses(Reason.COUNT, () -> most.with("one-more", ""));
    refuses(Reason.COUNT, () -> numbered(20).withAll(Headers.of("a", "").withAll(most)));
  }

  @Test
  void eightKibibytesAreFineAndOneMoreIsRefused() {
    Headers most = Headers.of("a", "x".repeat(8_190)).with("b", "");

    refuses(Reason.BYTES, () -> most.with("b", "x"));
    refuses(Reason.BYTES, () -> most.with("c", ""));
    refuses(Reason.BYTES, () -> Headers.of("a", "x".repeat(9_000)).withAll(most));
  }

  @Test
  void bytesOfUtf8AreBounded() {
    // 2 bytes of name, 4 for each pair of surrogates, 3 for the euro sign.
    String most = "\uD83D\uDE00".repeat(2_046) + "€éx";
    assertThat(Headers.of("ab", most).get("ab")).contains(most);
    refuses(Reason.BYTES, () -> Headers.of("abc", most));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\uD83D", "\uDE00\uD83D", "a\uD83Db", "\uD83D\uD83D\uDE00"})
  void halfOfASurrogatePairIsRefused(String value) {
    refuses(Reason.VALUE, () -> Headers.of("a", value));
  }

  @Test
  void alarmKeepsMarkedHeaders() {
    Headers headers = Headers.of("tenant", "t").with("trace", "1").keep("tenant").keep("absent");

    assertThat(headers.kept().asMap()).hasToString("{tenant=t}");
    assertThat(headers.kept().kept()).isEqualTo(headers.kept());
    assertThat(headers.with("tenant", "u").kept().asMap()).hasToString("{tenant=u}");
    assertThat(headers.without("tenant").with("tenant", "t").kept().isEmpty()).isTrue();
    assertThat(Headers.of("x", "y").withAll(headers).kept().asMap()).hasToString("{tenant=t}");
    assertThat(headers).isNotEqualTo(Headers.of("tenant", "t").with("trace", "1"));
  }

  @Test
  void alarmKeeps256BytesAndOneMoreIsRefused() {
    Headers most = Headers.of("a", "x".repeat(253)).with("b", "y").keep("a").keep("b");

    assertThat(most.with("c", "not kept").kept().asMap()).hasSize(2);
    refuses(Reason.KEPT_BYTES, () -> most.with("b", "yy"));
    refuses(Reason.KEPT_BYTES, () -> most.with("c", "").keep("c"));
    refuses(Reason.KEPT_BYTES, () -> Headers.of("c", "").keep("c").withAll(most));
  }

  @Test
  void valuesAreNotPrinted() {
    assertThat(Headers.of("authorization", "secret").with("b", "c"))
        .hasToString("[authorization, b]");
    assertThatExceptionOfType(HeadersException.class)
        .isThrownBy(() -> Headers.of("a", "secret".repeat(2_000)))
        .withMessageNotContaining("secret");
  }
}
