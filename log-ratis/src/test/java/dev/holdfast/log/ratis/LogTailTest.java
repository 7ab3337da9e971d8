package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LogTailTest {

  private static final long MIB = 1 << 20;

  private final LogTail tail = new LogTail();

  @Test
  void cutoffLeavesAtMostSoManyBytes() {
    for (int i = 1; i <= 100; i++) {
      tail.add(i, MIB);
    }

    assertThat(tail.cutoff(100 * MIB)).isEqualTo(RatisLog.NONE);
    assertThat(tail.cutoff(99 * MIB)).isEqualTo(1);
    assertThat(tail.cutoff(10 * MIB)).isEqualTo(90);
  }

  @Test
  void whatWasDroppedIsForgotten() {
    for (int i = 1; i <= 100; i++) {
      tail.add(i, MIB);
    }
    tail.dropTo(60);
    tail.add(101, MIB);

    assertThat(tail.bytes()).isEqualTo(41 * MIB);
    assertThat(tail.cutoff(41 * MIB)).isEqualTo(RatisLog.NONE);
    assertThat(tail.cutoff(10 * MIB)).isEqualTo(91);
  }

  @Test
  void shortEntriesShareAMark() {
    for (int i = 1; i <= 1000; i++) {
      tail.add(i, 1000);
    }

    long cutoff = tail.cutoff(500_000);

    assertThat(cutoff).isBetween(500L, 500L + 66);
  }
}
