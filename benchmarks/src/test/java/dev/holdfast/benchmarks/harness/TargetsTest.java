package dev.holdfast.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.benchmarks.harness.Report.Goal;
import dev.holdfast.benchmarks.harness.Targets.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a figure of a topic is worth, and that the file and the topics agree. */
class TargetsTest {

  private static Targets file() throws IOException {
    return Targets.read(Path.of("targets.json"));
  }

  @Test
  void figureIsMetOrAtItsBoundOrMissed() {
    Target most = new Target("f", Goal.AT_MOST, 2, 3, "the disk");
    assertThat(most.judge(2)).isEqualTo(Outcome.MET);
    assertThat(most.judge(2.5)).isEqualTo(Outcome.AT_BOUND);
    assertThat(most.judge(3.1)).isEqualTo(Outcome.MISSED);
    assertThat(new Target("f", Goal.BELOW, 2, 0, "").judge(2)).isEqualTo(Outcome.MISSED);
    assertThat(new Target("f", Goal.AT_LEAST, 2, 0, "").judge(2)).isEqualTo(Outcome.MET);
    assertThat(new Target("f", Goal.AT_MOST, 0, 0, "").judge(Double.NaN))
        .as("nothing was measured")
        .isEqualTo(Outcome.MISSED);
  }

  @Test
  void boundsHaveReasonsAndFiguresAreNamedOnce() throws IOException {
    List<Target> all = file().all();
    assertThat(all).extracting(Target::figure).doesNotHaveDuplicates();
    for (Target each : all) {
      assertThat(each.bound() > 0).as(each.toString()).isEqualTo(!each.reason().isEmpty());
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> file().of("no such figure"))
        .withMessageContaining("targets.json");
  }

  /** The last words of each figure are in the source of a topic. */
  @Test
  void everyFigureIsJudgedBySomeTopic() throws IOException {
    StringBuilder sources = new StringBuilder();
    try (Stream<Path> all = Files.walk(Path.of("src/main/java"))) {
      for (Path file : all.filter(each -> each.toString().endsWith("Topic.java")).toList()) {
        sources.append(Files.readString(file));
      }
    }
    for (Target each : file().all()) {
      String end = each.figure().substring(each.figure().lastIndexOf(", ") + 2);
      assertThat(sources.toString()).as(each.figure()).contains(end + "\"");
    }
  }
}
