package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.apache.ratis.protocol.RaftPeerId;
import org.junit.jupiter.api.Test;

/** When the connections to a node are given up. */
final class LogConnectionsTest {

  private static final RaftPeerId B = RaftPeerId.valueOf("b");

  private final LogConnections connections = new LogConnections(Duration.ofSeconds(2));

  private boolean isGivenUp(long heardSeconds, long nowSeconds) {
    return !connections
        .silent(Map.of(B, heardSeconds * 1_000_000_000), nowSeconds * 1_000_000_000)
        .isEmpty();
  }

  @Test
  void connectionIsGivenUpAfterTheSilenceAndANewOneHasTimeToConnect() {
    assertThat(isGivenUp(10, 10)).isFalse();
    assertThat(isGivenUp(11, 12)).isFalse();
    assertThat(isGivenUp(11, 13)).isTrue();
    assertThat(isGivenUp(11, 17)).isFalse();
    assertThat(isGivenUp(11, 18)).isTrue();
    assertThat(isGivenUp(19, 20)).isFalse();
    assertThat(connections.hears(B, 20_000_000_000L)).isTrue();
    assertThat(isGivenUp(19, 21)).isTrue();
    assertThat(connections.hears(B, 21_000_000_000L)).isFalse();
  }

  /** Of a node that was not fed before, a new leader says that it was heard long ago. */
  @Test
  void newLeaderGivesTime() {
    assertThat(isGivenUp(-100, 10)).isFalse();
    assertThat(isGivenUp(-100, 14)).isFalse();
    assertThat(isGivenUp(-100, 15)).isTrue();
    connections.silent(Map.of(), 16_000_000_000L); // it does not lead any more
    assertThat(isGivenUp(-100, 30)).isFalse();
  }
}
