package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.log.ratis.threads.RatisInternals;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.ConfigurationChangeException;
import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The appender of a member fails if entries are dropped while it reads them, and Ratis makes
 * another one. The member is one as before.
 */
final class RestartedAppenderTest {

  @TempDir private Path directory;

  @Test
  void memberIsNotTakenForANewOne() {
    try (ThreeNodes cluster = ThreeNodes.open(directory)) {
      OneShard shard = new OneShard(cluster, 0);
      shard.append("before", 16);
      LeaderState leader = leaderOf(shard);
      NodeId member = shard.follower();

      leader.restart(appender(leader, member));

      assertThat(leader.isFollowerBootstrapping(appender(leader, member).getFollower()))
          .as("whether a change of members waits for it, and removes its appender if it fails")
          .isFalse();
      shard.append("after", 16); // until each of the three has it
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void memberGetsEntriesThoughAChangeOfTheMembersFails() {
    try (ThreeNodes cluster = ThreeNodes.open(directory)) {
      OneShard shard = new OneShard(cluster, 0);
      NodeId leader;
      do {
        shard.append("before", 16);
        leader = shard.leader();
        RatisLog log = shard.log(leader);
        LeaderState leading = leaderOf(shard);
        leading.restart(appender(leading, shard.follower()));
        Configuration expected = log.configuration();
        Map<NodeId, String> wanted = new HashMap<>(expected.members());
        wanted.put(ThreeNodes.FOURTH, cluster.addressOfFourth()); // it does not run
        assertThat(log.change(expected, wanted))
            .failsWithin(Duration.ofMinutes(2))
            .withThrowableThat()
            .withCauseInstanceOf(ConfigurationChangeException.class);
      } while (!shard.log(leader).isLeader()); // otherwise all appenders are new

      shard.append("after", 16); // until each of the three has it
    }
  }

  static LeaderState leaderOf(OneShard shard) {
    while (true) {
      Object member = RatisInternals.valueOf(shard.log(shard.leader()), "division");
      Object division = RatisInternals.valueOf(member, "division");
      AtomicReference<?> leading =
          (AtomicReference<?>)
              RatisInternals.valueOf(RatisInternals.valueOf(division, "role"), "leaderState");
      if (leading.get() instanceof LeaderState found) {
        return found;
      }
    }
  }

  static LogAppender appender(LeaderState leader, NodeId member) {
    List<?> all =
        (List<?>) RatisInternals.valueOf(RatisInternals.valueOf(leader, "senders"), "senders");
    return all.stream()
        .map(LogAppender.class::cast)
        .filter(each -> each.getFollowerId().toString().equals(member.name()))
        .findFirst()
        .orElseThrow();
  }
}
