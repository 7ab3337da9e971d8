package dev.holdfast.examples.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.examples.conformance.Verdict.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The recordings of the reference runtime, replayed. */
final class ConformanceTest {

  private static final Path RECORDINGS = Path.of("src", "test", "resources", "conformance");

  @Test
  void everythingIsAsRecordedOrDeviatesOnPurpose() throws IOException {
    List<Verdict> verdicts = ConformanceCommand.run(List.of(RECORDINGS));

    assertThat(verdicts).hasSizeGreaterThan(300);
    assertThat(verdicts).filteredOn(verdict -> verdict.outcome() == Outcome.FAILED).isEmpty();
  }

  @Test
  void everyDeviationIsExplained() throws IOException {
    String explained = Files.readString(Path.of("..", "docs", "conformance.md"));

    for (Deviations.Rule rule : Deviations.load().rules()) {
      assertThat(explained).contains("`" + rule.id() + "`");
      assertThat(rule.reason()).isNotBlank();
    }
  }
}
