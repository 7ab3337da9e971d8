package dev.holdfast.console.login;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Nobody tries tokens until one fits. */
class AttemptsTest {

  private static final long MINUTE_MILLIS = 60_000;

  private final Attempts attempts = new Attempts();

  private void fail(String address, int times) {
    for (int each = 0; each < times; each++) {
      assertThat(attempts.mayTry(address, 0)).as(address + " " + each).isTrue();
      attempts.failed(address);
    }
  }

  @Test
  void anAddressMayTryFiveTimesInAMinute() {
    fail("10.0.0.1", 5);

    assertThat(attempts.mayTry("10.0.0.1", MINUTE_MILLIS - 1)).isFalse();
    assertThat(attempts.mayTry("10.0.0.2", MINUTE_MILLIS - 1)).isTrue();
    assertThat(attempts.mayTry("10.0.0.1", MINUTE_MILLIS)).isTrue();
  }

  @Test
  void allAddressesMayTryAHundredTimes() {
    for (int each = 0; each < 20; each++) {
      fail("10.0.0." + each, 5);
    }

    assertThat(attempts.mayTry("10.0.1.1", 0)).isFalse();
    assertThat(attempts.mayTry("10.0.1.1", MINUTE_MILLIS)).isTrue();
  }
}
