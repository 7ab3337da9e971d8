package dev.holdfast.operate.restore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a restore prints while it goes on. */
final class ProgressLinesTest {

  private static final long MEBIBYTE = 1 << 20;

  private final List<String> printed = new ArrayList<>();
  private long nanos = 5;
  private final ProgressLines progress = new ProgressLines(printed::add, () -> nanos);

  private void afterMillis(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void lineHasObjectsBytesRateAndTimeLeft() {
    afterMillis(2_000);
    progress.restored(120, 20 * MEBIBYTE, 70 * MEBIBYTE, 41);
    assertThat(printed)
        .containsExactly(
            "120 objects, 20.0 MiB of at most 70.0 MiB, position 41, 10.0 MiB/s, at most 5 s left");
    assertThat(progress.seconds()).isEqualTo(2);
  }

  @Test
  void thereIsOneLineInASecond() {
    for (int i = 1; i <= 25; i++) {
      afterMillis(100);
      progress.restored(i, i * MEBIBYTE, 100 * MEBIBYTE, i);
    }
    assertThat(printed).hasSize(2);
    assertThat(printed.getLast()).startsWith("20 objects, ").endsWith(", at most 8 s left");
  }

  @Test
  void timeLeftIsNotKnownBeforeAByteIsRestored() {
    afterMillis(1_000);
    progress.restored(0, 0, 100 * MEBIBYTE, 0);
    assertThat(printed).singleElement().asString().doesNotContain("left").endsWith("0 KiB/s");
  }
}
