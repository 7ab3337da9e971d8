package dev.holdfast.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What counts as flat. */
class GaugeTest {

  private static List<Sample> samples(int count, IntToDoubleFunction descriptors) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Sample(i, 1, 1, 1, 1, 1, descriptors.applyAsDouble(i), 1, 1, 1))
        .toList();
  }

  @Test
  void oneDescriptorInEachSampleIsARise() {
    Gauge.Trend trend = Gauge.DESCRIPTORS.trend(samples(40, i -> 100 + i));
    assertThat(trend.rise()).isEqualTo(39);
    assertThat(trend.isFlat()).isFalse();
    assertThat(SoakCommand.table(List.of(trend)).getLast())
        .isEqualTo("| file descriptors | 119.5 | 39.0 | 8.0 | **rises** |");
  }

  @Test
  void singleDisturbedSamplesAndAFallAreFlat() {
    assertThat(Gauge.DESCRIPTORS.trend(samples(40, i -> i > 36 ? 10_000 : 100)).isFlat()).isTrue();
    assertThat(Gauge.DESCRIPTORS.trend(samples(40, i -> 1_000 - i)).isFlat()).isTrue();
  }

  @Test
  void fewSamplesSayNothing() {
    assertThatThrownBy(() -> Gauge.HEAP.trend(samples(7, i -> 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("8 samples, not 7");
  }
}
