package dev.holdfast.spi.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.statistics.HistogramSnapshot;
import dev.holdfast.statistics.HistogramSnapshot.Bucket;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

class HistogramRecorderTest {

  @Property
  void percentilesAreThoseOfTheSortedValuesToThreePercent(
      @ForAll("values") List<Long> values, @ForAll @DoubleRange(max = 100) double percent) {
    HistogramRecorder recorder = new HistogramRecorder();
    values.forEach(recorder::record);
    HistogramSnapshot snapshot = recorder.snapshot();

    List<Long> sorted = values.stream().sorted().toList();
    long exact = sorted.get((int) Math.max(1, Math.ceil(percent / 100 * sorted.size())) - 1);
    assertThat(snapshot.percentile(percent)).isBetween(exact, exact + exact / 32);
    assertThat(snapshot.count()).isEqualTo(values.size());
    assertThat(snapshot.sum()).isEqualTo(values.stream().mapToLong(each -> each).sum());
    assertThat(snapshot.max()).isEqualTo(sorted.getLast());
    for (Bucket each : snapshot.buckets()) {
      assertThat(values.stream().filter(v -> v >= each.from() && v <= each.to()).count())
          .isEqualTo(each.count());
    }
  }

  @Property
  void differenceOfTwoSnapshotsIsWhatWasRecordedBetweenThem(
      @ForAll("values") List<Long> before, @ForAll("values") List<Long> after) {
    HistogramRecorder both = new HistogramRecorder();
    before.forEach(both::record);
    HistogramSnapshot earlier = both.snapshot();
    after.forEach(both::record);
    HistogramRecorder later = new HistogramRecorder();
    after.forEach(later::record);

    HistogramSnapshot difference = both.snapshot().minus(earlier);
    HistogramSnapshot expected = later.snapshot();
    assertThat(difference.buckets()).isEqualTo(expected.buckets());
    assertThat(difference.sum()).isEqualTo(expected.sum());
    assertThat(difference.max()).isBetween(expected.max(), expected.max() + expected.max() / 32);
  }

  @Provide
  Arbitrary<List<Long>> values() {
    return Arbitraries.longs()
        .between(0, Long.MAX_VALUE / 128)
        .withDistribution(net.jqwik.api.RandomDistribution.biased())
        .list()
        .ofMinSize(1)
        .ofMaxSize(100);
  }

  @Test
  void noCountIsLostByThreadsThatRecordTheSameValues() throws InterruptedException {
    HistogramRecorder recorder = new HistogramRecorder();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int value = 0; value < 20_000; value++) {
                      recorder.record(value % 3 * 1_000);
                    }
                  }));
    }
    for (Thread each : threads) {
      each.join();
    }

    HistogramSnapshot snapshot = recorder.snapshot();
    assertThat(snapshot.count()).isEqualTo(160_000);
    assertThat(snapshot.sum()).isEqualTo(8L * (6_667 * 1_000 + 6_666 * 2_000));
  }

  @Test
  void sampledValueCountsAsOftenAsItsWeight() {
    HistogramRecorder recorder = new HistogramRecorder(64);
    recorder.record(10, 64);
    recorder.record(20);

    HistogramSnapshot snapshot = recorder.snapshot();
    assertThat(snapshot.buckets()).containsExactly(new Bucket(10, 10, 64), new Bucket(20, 20, 1));
    assertThat(snapshot.sum()).isEqualTo(660);
    assertThat(snapshot.samplingWeight()).isEqualTo(64);
  }

  @Test
  void extremesHaveBuckets() {
    HistogramRecorder recorder = new HistogramRecorder();
    recorder.record(-1);
    recorder.record(Long.MAX_VALUE);

    HistogramSnapshot snapshot = recorder.snapshot();
    assertThat(snapshot.buckets().getFirst()).isEqualTo(new Bucket(0, 0, 1));
    assertThat(snapshot.buckets().getLast().to()).isEqualTo(Long.MAX_VALUE);
    assertThat(snapshot.percentile(100)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void emptyHistogramHasZeros() {
    HistogramSnapshot snapshot = new HistogramRecorder().snapshot();

    assertThat(snapshot).isEqualTo(HistogramSnapshot.EMPTY);
    assertThat(snapshot.percentile(99)).isZero();
    assertThat(snapshot.mean()).isZero();
    assertThatThrownBy(() -> snapshot.percentile(100.5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("100.5");
  }
}
