package dev.holdfast.cluster.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.statistics.AlarmStatistics;
import dev.holdfast.statistics.ArchiveStatistics;
import dev.holdfast.statistics.BusyObject;
import dev.holdfast.statistics.CallStatistics;
import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.DatabaseStatistics;
import dev.holdfast.statistics.HistogramSnapshot;
import dev.holdfast.statistics.JournalStatistics;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.RecoveryStatistics;
import dev.holdfast.statistics.RocksDbStatistics;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.statistics.RuntimeStatistics;
import dev.holdfast.statistics.ValueCacheStatistics;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which shards of a node stand out, by numbers. */
final class ShardLoadsTest {

  private static final long GIB = 1L << 30;

  private static final CallStatistics NO_CALLS = new CallStatistics(0, 0, 0, 0, 0);

  private static final AlarmStatistics NO_ALARMS =
      new AlarmStatistics(0, 0, 0, 0, 0, 0, HistogramSnapshot.EMPTY);

  private final VirtualClock clock = new VirtualClock();
  private final ShardLoads loads = new ShardLoads(clock);

  private final Map<Integer, Long> bytes = new TreeMap<>();
  private final Map<Integer, Long> commits = new TreeMap<>();
  private final Map<Integer, ShardLoads.Owned> open = new TreeMap<>();

  private long epoch;

  private ShardLoadsTest() {
    for (int shard = 0; shard < 4; shard++) {
      open(shard);
    }
  }

  private void open(int shard) {
    epoch++;
    open.put(
        shard,
        new ShardLoads.Owned(
            epoch,
            (ObjectRuntime)
                Proxy.newProxyInstance(
                    ObjectRuntime.class.getClassLoader(),
                    new Class<?>[] {ObjectRuntime.class},
                    (_, method, _) ->
                        switch (method.getName()) {
                          case "statistics" -> statistics(shard);
                          case "busiest" ->
                              List.of(new BusyObject("orders", "00", Optional.of("17"), 1));
                          default -> throw new AssertionError(method);
                        })));
  }

  private RuntimeStatistics statistics(int shard) {
    JournalStatistics journal =
        new JournalStatistics(
            0,
            0,
            HistogramSnapshot.EMPTY,
            HistogramSnapshot.EMPTY,
            HistogramSnapshot.EMPTY,
            0,
            0,
            0,
            bytes.getOrDefault(shard, 0L),
            1,
            1,
            null);
    NamespaceStatistics orders =
        new NamespaceStatistics(
            0,
            0,
            NO_CALLS,
            0,
            0,
            0,
            Map.of(),
            commits.getOrDefault(shard, 0L),
            0,
            HistogramSnapshot.EMPTY,
            HistogramSnapshot.EMPTY,
            HistogramSnapshot.EMPTY,
            HistogramSnapshot.EMPTY,
            NO_ALARMS);
    return new RuntimeStatistics(
        RuntimeState.OPEN,
        0,
        RecoveryStatistics.NONE,
        journal,
        DatabaseStatistics.NONE,
        RocksDbStatistics.NONE,
        ValueCacheStatistics.NONE,
        ArchiveStatistics.NONE,
        ClusterStatistics.NONE,
        List.of(),
        Map.of("orders", orders));
  }

  private List<String> afterAMinute() {
    clock.advance(Duration.ofMinutes(1));
    return loads.reasons(open).stream()
        .map(each -> each.code() + " " + each.text().substring(0, "Shard 0".length()))
        .toList();
  }

  @Test
  void shardThatHoldsFarMoreThanTheOthersIsNamed() {
    bytes.putAll(Map.of(0, GIB, 1, GIB, 2, 4 * GIB, 3, GIB));
    HealthReason large = loads.reasons(open).getFirst();
    assertThat(large.code()).isEqualTo(HealthReason.SHARD_LARGE);
    assertThat(large.state()).isEqualTo(HealthState.DEGRADED);
    assertThat(large.text())
        .startsWith("Shard 2 has 4.0 GiB on this node, 4.0 times the mean of the others")
        .contains("near", "importFrom");

    bytes.put(1, GIB + 1);
    assertThat(afterAMinute()).as("less than four times the mean").isEmpty();
    bytes.putAll(Map.of(0, 1L, 1, 1L, 2, 4 * GIB - 1, 3, 1L));
    assertThat(afterAMinute()).as("less than 4 GiB").isEmpty();
  }

  @Test
  void shardThatMakesMostOfTheCommitsIsNamed() {
    assertThat(loads.reasons(open)).isEmpty();
    commits.putAll(Map.of(0, 5_000L, 1, 60_000L, 2, 5_000L));
    clock.advance(Duration.ofMinutes(1));
    assertThat(loads.reasons(open).getFirst().text())
        .startsWith(
            "Shard 1 made 1000 commits a second in the last 60 s, 18.0 times the mean of the"
                + " others")
        .contains("most calls: orders/\"17\".");

    commits.put(1, commits.get(1) + 59_999);
    assertThat(afterAMinute()).as("fewer than 1,000 commits a second").isEmpty();
    commits.put(1, commits.get(1) + 60_000);
    commits.put(2, commits.get(2) + 60_001);
    assertThat(afterAMinute()).as("less than half of all").isEmpty();
    commits.put(1, commits.get(1) + 60_000);
    assertThat(afterAMinute()).containsExactly("shard-hot Shard 1");
  }

  @Test
  void shardThatIsOpenedAgainIsComparedOnlyAfterAWholeWindow() {
    loads.reasons(open);
    commits.put(1, 60_000L);
    open(1);
    assertThat(afterAMinute()).isEmpty();
    commits.put(1, 120_000L);
    assertThat(afterAMinute()).containsExactly("shard-hot Shard 1");
    open(1);
    assertThat(loads.reasons(open)).as("another ownership").isEmpty();
    open.remove(1);
    assertThat(loads.reasons(open)).as("of another node").isEmpty();
  }

  @Test
  void shardThatANodeOwnsAloneStandsOutOfNothing() {
    open.keySet().removeIf(shard -> shard != 1);
    bytes.put(1, 100 * GIB);
    loads.reasons(open);
    commits.put(1, 1_000_000L);
    assertThat(afterAMinute()).isEmpty();
  }
}
