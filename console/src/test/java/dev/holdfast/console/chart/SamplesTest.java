package dev.holdfast.console.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.console.page.Source;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is remembered of statistics, with statistics and a clock of the test. */
class SamplesTest {

  private @Nullable Map<String, Object> statistics;
  private long millis = 1_000_000;

  private final Source source =
      new Source(
          (request, answers) -> {
            if (statistics == null) {
              throw new OperatorException(Reason.FAILED, "gone");
            }
            answers.add(statistics);
            return null;
          },
          Duration.ofMinutes(1));
  private final Samples samples = new Samples(source, () -> millis);

  private void take(long seconds, @Nullable Map<String, Object> now) {
    millis += seconds * 1_000;
    statistics = now;
    samples.take();
  }

  private static Map<String, Object> calls(long returned, long queued) {
    return Map.of(
        "journal",
        Map.of("syncNanos", Map.of("count", returned, "mean", 2e6)),
        "namespaces",
        Map.of("a", Map.of("calls", Map.of("returned", returned, "threw", 0L), "queued", queued)));
  }

  @Test
  void countersAreRatesAndOthersAreAsTheyAre() {
    take(0, calls(10, 3));
    take(5, calls(60, 4));

    assertThat(samples.json(0))
        .contains("\"times\":[1000.0,1005.0]")
        .contains("\"calls\":[null,10.0]")
        .contains("\"sync\":[null,2.0]")
        .contains("\"queue\":[null,4.0]")
        .contains("\"late\":[null,null]");
    assertThat(samples.json(1_000_000)).contains("\"times\":[1005.0]").contains("[10.0]");
    assertThat(samples.json(1_005_000)).contains("\"times\":[]");
  }

  @Test
  void aRuntimeThatIsGoneOrAnotherOneIsAGap() {
    take(0, calls(10, 0));
    take(5, null);
    take(5, calls(20, 0));
    take(5, calls(5, 0));
    take(5, calls(10, 0));

    assertThat(samples.json(0)).contains("\"calls\":[null,null,null,null,1.0]");
  }

  @Test
  void aClockThatGoesBackTakesNoSample() {
    take(0, calls(10, 0));
    take(-5, calls(20, 0));

    assertThat(samples.json(0)).contains("\"times\":[1000.0]");
  }

  @Test
  void theLastAnswerIsGivenOutWhileItIsNew() {
    assertThat(samples.latest()).isNull();
    take(0, calls(10, 0));
    assertThat(samples.latest()).isEqualTo(calls(10, 0));
    millis += 2 * Samples.PERIOD_SECONDS * 1_000;
    assertThat(samples.latest()).isNull();
    take(0, null);
    assertThat(samples.latest()).isNull();
  }

  @Test
  void theOldestOfMoreThanAnHourIsForgotten() {
    for (int each = 0; each < 1_000; each++) {
      take(Samples.PERIOD_SECONDS, calls(each, 0));
    }

    assertThat(samples.json(0).split("\"calls\":\\[")[1].split("]")[0].split(","))
        .hasSize(720)
        .containsOnly("0.2");
  }
}
