package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node says which of its shards does far more than the others. */
final class ShardLoadTest {

  private static final int SHARDS = 4;

  private static final Duration READY = Duration.ofMinutes(2);

  private static final VirtualClock CLOCK = new VirtualClock();

  interface Work {

    /** Keeps the turn for a time. */
    void take(Duration time);
  }

  record WorkObject(ObjectContext context) implements Work {
    @Override
    public void take(Duration time) {
      context.storage().put("taken", time.toMillis());
      CLOCK.advance(time);
    }
  }

  @TempDir private Path directory;

  private ClusterRuntime open() throws Exception {
    ClusterRuntime node =
        ClusterNode.open(
            directory.resolve("a"),
            ClusterOptions.of("loads")
                .node("a")
                .members("a=127.0.0.1:" + FreePorts.pairs(1).getFirst())
                .withShards(SHARDS),
            objects -> objects.namespace("work", Work.class, WorkObject::new),
            new SecureRandom(),
            ClusterNode.Settings.DEFAULT,
            CLOCK,
            new FileDisk());
    assertThat(node.awaitReady(READY)).isTrue();
    return node;
  }

  private static List<HealthReason> loads(ClusterRuntime node) {
    return node.health().reasons().stream()
        .filter(each -> each.code().equals(HealthReason.SHARD_HOT))
        .toList();
  }

  @Test
  void shardWhoseTurnsTakeNearlyAllOfTheTimeIsNamedWithItsObjectsUntilItDoesLess()
      throws Exception {
    try (ClusterRuntime node = open()) {
      ObjectNamespace<Work> works = node.namespace("work", Work.class);
      ObjectId busy = works.idFromName("busy");
      int shard = new ShardMap(SHARDS).shardOf(busy);
      ObjectId idle =
          List.of("1", "2", "3", "4", "5", "6", "7", "8").stream()
              .map(works::idFromName)
              .filter(each -> new ShardMap(SHARDS).shardOf(each) != shard)
              .findFirst()
              .orElseThrow();
      assertThat(loads(node)).isEmpty();

      works.getByName("busy").take(Duration.ofSeconds(58));
      works.get(idle).take(Duration.ofSeconds(1));
      assertThat(loads(node)).as("within the first minute").isEmpty();
      CLOCK.advance(Duration.ofSeconds(1));

      HealthReason hot = loads(node).getFirst();
      assertThat(hot.state()).isEqualTo(HealthState.DEGRADED);
      assertThat(hot.text())
          .startsWith("Shard " + shard + " had turns that took 1.0 s of each second in the last 60")
          .contains("times the mean of the others", "work/\"busy\"", "cluster transfer", "near");
      assertThat(loads(node)).as("until a minute is over").containsExactly(hot);

      works.getByName("busy").take(Duration.ofSeconds(30));
      works.get(idle).take(Duration.ofSeconds(30));
      assertThat(loads(node)).as("two shards do half each").isEmpty();
    }
  }
}
