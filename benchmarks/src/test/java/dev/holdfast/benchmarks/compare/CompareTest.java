package dev.holdfast.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.benchmarks.compare.CompareCommand.Starter;
import dev.holdfast.benchmarks.compare.Comparison.Row;
import dev.holdfast.benchmarks.compare.Peer.Place;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Outcome;
import dev.holdfast.benchmarks.harness.Series;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a comparison says about its figures. */
class CompareTest {

  private static Row row(String peer, double syncs) {
    Series series =
        new Series(peer, List.of(new Measured(1_000, 1_000_000_000, 1, 0, 1_000, 2_000)));
    return new Row(
        Workload.PUT_ONE, peer, Place.SERVER, "it says", syncs, series, null, null, null);
  }

  @Test
  void ratioIsMetOrAtItsBoundOrMissed() {
    Target target = new Target("w", "ours", "peer", 3, 2, "the disk");
    assertThat(target.judge(3)).isEqualTo(Outcome.MET);
    assertThat(target.judge(2.5)).isEqualTo(Outcome.AT_BOUND);
    assertThat(target.judge(1.9)).isEqualTo(Outcome.MISSED);
    assertThat(new Target("w", "ours", "peer", 3, 0, "").judge(2.9)).isEqualTo(Outcome.MISSED);
  }

  @Test
  void peerThatSyncsLessIsInATableOfItsOwn() {
    List<String> lines =
        Results.table(List.of(row("honest", 1), row("lazy", 0.01)), List.of("x: gone"));
    int own =
        lines.indexOf("| Synced less | Peer | Per second | p50 us | p99 us | CPU us | Ratio |");
    assertThat(lines.subList(0, own)).anyMatch(line -> line.contains("honest"));
    assertThat(lines.subList(0, own)).noneMatch(line -> line.contains("lazy"));
    assertThat(lines.subList(own, lines.size())).anyMatch(line -> line.contains("lazy"));
    assertThat(lines.getLast()).isEqualTo("Could not be had: x: gone");
  }

  @Test
  void targetsNameWorkloadsAndPeersThatExist() throws Exception {
    List<String> titles = Stream.of(Workload.values()).map(Workload::title).toList();
    List<String> peers =
        CompareCommand.starters(CompareCommand.files()).stream().map(Starter::name).toList();
    for (Target each : CompareCommand.targets(Path.of("targets.json"))) {
      assertThat(titles).contains(each.workload());
      assertThat(peers).contains(each.side(), each.peer());
      assertThat(each.bound() > 0).as(each.toString()).isEqualTo(!each.reason().isEmpty());
    }
  }

  /** The last screen: the judged rows with a header, and one line of what could not be had. */
  @Test
  void judgedRowsFitTheLastLines() throws Exception {
    List<Target> targets = CompareCommand.targets(Path.of("targets.json"));
    List<String> lines = Results.judged(List.of(row("honest", 1)), targets, List.of("x", "y\nz"));
    assertThat(lines).hasSizeBetween(targets.size() + 3, 25);
    assertThat(lines).anyMatch(line -> line.endsWith("not measured |"));
    assertThat(lines.getLast()).isEqualTo("Could not be had: x; y z");
  }

  @Test
  void barsGrowWithTheirRate() {
    String plot = Plot.of(Workload.PUT_ONE, List.of(row("Holdfast", 1), row("peer", 0)));
    assertThat(plot).startsWith("<svg ").contains("peer (syncs less)").endsWith("</svg>\n");
  }
}
