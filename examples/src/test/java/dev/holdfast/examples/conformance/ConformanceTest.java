package dev.holdfast.examples.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.examples.conformance.Verdict.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The recordings of the reference runtime, replayed. */
final class ConformanceTest {

  private static final Path RECORDINGS = Path.of("src", "test", "resources", "conformance");

  /** Areas of which something is not built yet. An area leaves this list when it passes. */
  private static final Set<String> UNFINISHED =
      Set.of(
          "05-transaction",
          "06-deleteall-sync",
          "08-transaction-sync",
          "09-sql-types",
          "10-sql-cursor",
          "11-sql-multi",
          "12-sql-denied",
          "13-sql-metering",
          "14-sql-json-fts",
          "15-sql-errors",
          "16-sql-limits",
          "17-alarms",
          "18-pitr",
          "20-persistence",
          "21-concurrency");

  @Test
  void everythingIsAsRecordedOrDeviatesOnPurpose() throws IOException {
    List<Verdict> verdicts = ConformanceCommand.run(List.of(RECORDINGS));

    assertThat(verdicts).hasSizeGreaterThan(300);
    assertThat(verdicts)
        .filteredOn(verdict -> !UNFINISHED.contains(verdict.area()))
        .filteredOn(verdict -> verdict.outcome() == Outcome.FAILED)
        .isEmpty();
  }
}
