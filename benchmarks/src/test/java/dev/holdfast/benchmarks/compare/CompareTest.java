package dev.holdfast.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.benchmarks.compare.CompareCommand.Starter;
import dev.holdfast.benchmarks.compare.Comparison.Row;
import dev.holdfast.benchmarks.compare.Peer.Place;
import dev.holdfast.benchmarks.harness.Measured;
import dev.holdfast.benchmarks.harness.Outcome;
import dev.holdfast.benchmarks.harness.Rounds;
import dev.holdfast.benchmarks.harness.Series;
import dev.holdfast.benchmarks.harness.Spread;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a comparison says about its figures. */
class CompareTest {

  private static final Rounds ROUNDS = new Rounds(2, Duration.ofMillis(5));

  @TempDir Path directory;

  private static Row row(String peer, double syncs) {
    Series series =
        new Series(peer, List.of(new Measured(1_000, 1_000_000_000, 1, 0, 1_000, 2_000)));
    return new Row(
        Workload.PUT_ONE, peer, Place.SERVER, "it says", syncs, series, null, false, null, null);
  }

  private static Row judged(Outcome verdict) {
    Target target = new Target("w", "ours", "peer", 3, 2, "the disk");
    Row row = row("peer", 1);
    return new Row(
        row.workload(),
        row.peer(),
        row.place(),
        row.durability(),
        row.syncs(),
        row.series(),
        Spread.of(List.of(2.5)),
        true,
        target,
        verdict);
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
  void exitCodeSaysWhetherAllIsMet() {
    List<Row> good = List.of(row("a", 1), judged(Outcome.MET), judged(Outcome.AT_BOUND));
    assertThat(CompareCommand.exitCode(good, List.of())).isEqualTo(0);
    assertThat(CompareCommand.exitCode(good, List.of("x: gone"))).isEqualTo(3);
    List<Row> bad = List.of(judged(Outcome.MET), judged(Outcome.MISSED));
    assertThat(CompareCommand.exitCode(bad, List.of())).isEqualTo(1);
    assertThat(CompareCommand.exitCode(bad, List.of("x: gone"))).isEqualTo(1);
  }

  @Test
  void missRunsAgainInFivePairs() throws Exception {
    // No pair is as far apart as this.
    Target target = new Target(Workload.PUT_ONE.title(), "ours", "peer", 1e12, 0, "");
    FakePeer ours = new FakePeer("ours", /* isBroken= */ false);
    FakePeer peer = new FakePeer("peer", /* isBroken= */ false);
    Comparison comparison = comparison(target);
    List<Row> rows = comparison.run(starters(ours, peer), directory, new ArrayList<>());
    assertThat(rows).extracting(Row::verdict).containsExactly(null, Outcome.MISSED);
    assertThat(rows.getLast().isAgain()).isTrue();
    assertThat(comparison.latencies())
        .filteredOn(each -> each.peer().equals("peer"))
        .hasSize(ROUNDS.count() + 5);
    assertThat(Results.line(rows.getLast())).contains("the second time");
  }

  @Test
  void peerThatFailsIsNamedAndTheOthersAreMeasured() throws Exception {
    FakePeer broken = new FakePeer("broken", /* isBroken= */ true);
    List<String> absent = new ArrayList<>();
    FakePeer peer = new FakePeer("peer", /* isBroken= */ false);
    List<Row> rows =
        comparison(new Target("w", "ours", "peer", 1, 0, ""))
            .run(starters(broken, peer), directory, absent);
    assertThat(rows).extracting(Row::peer).containsExactly("peer");
    assertThat(absent)
        .singleElement()
        .asString()
        .contains("broken", Workload.PUT_ONE.title(), "no disk");
    assertThat(broken.isClosed).isTrue();
  }

  private static Comparison comparison(Target target) {
    return new Comparison(ROUNDS, List.of(target), Map.of());
  }

  private static List<Starter> starters(FakePeer... peers) {
    return Stream.of(peers).map(each -> new Starter(each.name(), _ -> each)).toList();
  }

  /** Writes nowhere. */
  private static final class FakePeer implements Peer {

    private final String name;
    private final boolean isBroken;
    private boolean isClosed;

    FakePeer(String name, boolean isBroken) {
      this.name = name;
      this.isBroken = isBroken;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Place place() {
      return Place.SERVER;
    }

    @Override
    public String durability() {
      return "none";
    }

    @Override
    public Set<Workload> workloads() {
      return Set.of(Workload.PUT_ONE);
    }

    @Override
    public Session session() {
      return new Session() {
        @Override
        public void put(String object, byte[] value) throws IOException {
          if (isBroken) {
            throw new IOException("no disk");
          }
        }

        @Override
        public int read(String object) {
          return 0;
        }
      };
    }

    @Override
    public void close() {
      isClosed = true;
    }
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
