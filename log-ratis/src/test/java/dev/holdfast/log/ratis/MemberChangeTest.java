package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.ConfigurationChangeException;
import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Changes of the members of a log that is in use. */
final class MemberChangeTest {

  /** Far more than are written in the time that the node has; they take milliseconds each. */
  private static final int ENTRIES_MAX = 20_000;

  @TempDir private Path directory;

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void changeToANodeThatDoesNotAnswerFailsThoughEntriesCome() {
    try (ThreeNodes cluster =
        ThreeNodes.open(directory, options -> options.withFailover(Duration.ofSeconds(1)))) {
      OneShard shard = new OneShard(cluster, 0);
      shard.append("before", 16);
      RatisLog log = shard.log(shard.leader());
      Configuration expected = log.configuration();
      Map<NodeId, String> wanted = new HashMap<>(expected.members());
      wanted.put(ThreeNodes.FOURTH, cluster.addressOfFourth()); // it does not run

      CompletableFuture<Void> change = log.change(expected, wanted);
      for (int i = 0; i < ENTRIES_MAX && !change.isDone(); i++) {
        shard.append("entry " + i, 16);
      }

      assertThat(change)
          .as("a change that waits until nothing is written")
          .isCompletedExceptionally()
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withCauseInstanceOf(ConfigurationChangeException.class);
    }
  }
}
