package dev.holdfast.benchmarks.all;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.benchmarks.harness.Outcome;
import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Report.Verdict;
import dev.holdfast.benchmarks.harness.Spread;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the end of a run says. */
class AllCommandTest {

  @Test
  void exitCodeIsOneIfAFigureIsMissedOrATopicFailed() {
    List<Verdict> good = List.of(verdict(Outcome.MET), verdict(Outcome.AT_BOUND));
    assertThat(AllCommand.exitCode(good, List.of(), 0)).isEqualTo(0);
    assertThat(AllCommand.exitCode(good, List.of(), 3)).isEqualTo(3);
    assertThat(AllCommand.exitCode(good, List.of("x has failed"), 3)).isEqualTo(1);
    assertThat(AllCommand.exitCode(List.of(verdict(Outcome.MISSED)), List.of(), 3)).isEqualTo(1);
  }

  private static Verdict verdict(Outcome outcome) {
    return new Verdict("figure", Spread.of(List.of(1.0)), Goal.AT_LEAST, 1, outcome, "");
  }
}
