package dev.holdfast.http.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CookieDateTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Tue, 21 Oct 2031 07:28:00 GMT|2031-10-21T07:28:00Z",
        "Tue, 21-Oct-2031 07:28:00 GMT|2031-10-21T07:28:00Z",
        "Tuesday, 21-Oct-31 07:28:00 GMT|2031-10-21T07:28:00Z",
        "Tue Oct 21 07:28:00 2031|2031-10-21T07:28:00Z",
        "21 october 1994 7:8:9 +0200|1994-10-21T07:08:09Z",
        "Sun, 06 Nov 94 08:49:37 EST|1994-11-06T08:49:37Z",
      })
  void everyFormThatBrowsersReadIsRead(String text, Instant time) {
    assertThat(CookieDate.parse(text)).isEqualTo(time);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "tomorrow",
        "Tue, 21 Oct 2031",
        "21 Oct 07:28:00",
        "Tue, 31 Feb 2031 07:28:00 GMT",
        "Tue, 21 Oct 2031 25:28:00 GMT",
        "Tue, 21 Oct 1600 07:28:00 GMT"
      })
  void whatIsNoDateIsNone(String text) {
    assertThat(CookieDate.parse(text)).isNull();
  }
}
