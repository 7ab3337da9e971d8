package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.log.NodeId;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which node says that a shard has no leader. */
final class KeptReportTest {

  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");

  private static boolean says(@Nullable NodeId owner, NodeId... connected) {
    return KeptReport.shouldHearALeader(A, owner, Set.of(A, B, C), Set.of(connected)::contains);
  }

  @Test
  void ownerThatHasLostTheLeadSaysSoIfAnotherCopyIsThere() {
    assertThat(says(A, B)).isTrue();
    assertThat(says(A)).as("a majority is missing").isFalse();
  }

  @Test
  void followerSaysItIfTheOwnerIsThere() {
    assertThat(says(B, B)).isTrue();
    assertThat(says(B, C)).isFalse();
    assertThat(says(null, B)).as("the owner is missing").isFalse();
  }
}
