package dev.holdfast.console.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What people read instead of what is stored. */
class TextTest {

  @ParameterizedTest
  @CsvSource({
    "every SKIP 60000, every 1 min; missed runs: skip",
    "every ALL 90061001, every 1 d 1 h 1 min 1 s 1 ms; missed runs: all",
    "cron ONCE Europe/Berlin 0 3 * * *, cron 0 3 * * * in Europe/Berlin; missed runs: once",
    "later, later",
    ", -"
  })
  void scheduleIsReadable(String stored, String shown) {
    assertThat(Text.schedule(stored)).isEqualTo(shown);
  }
}
