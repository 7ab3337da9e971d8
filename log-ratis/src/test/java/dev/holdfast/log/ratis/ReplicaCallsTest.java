package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a log believes that its replica has. */
final class ReplicaCallsTest {

  @Test
  void replicaLacksWhatItCouldNotBeBroughtForwardTo() {
    ReplicaCalls calls = new ReplicaCalls(() -> false);
    assertThat(calls.<RuntimeException>install(7, () -> false)).isFalse();
    assertThat(calls.passed()).isEqualTo(RatisLog.NONE);
    assertThat(calls.<RuntimeException>install(7, () -> true)).isTrue();
    assertThat(calls.passed()).isEqualTo(7);
  }
}
