package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.log.NodeId;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A leader knows which members do not come further. */
final class FedMembersTest {

  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final long MAX = 100;

  private final FedMembers fed = new FedMembers();

  @Test
  void memberThatStaysBehindIsStalledUntilItComesFurther() {
    assertThat(fed.stalled(Map.of(B, 7L, C, 5L), 7, 0, MAX)).isEmpty();
    assertThat(fed.stalled(Map.of(B, 7L, C, 5L), 7, MAX, MAX)).isEmpty();
    assertThat(fed.stalled(Map.of(B, 7L, C, 5L), 8, MAX + 1, MAX)).containsExactly(C);
    assertThat(fed.stalled(Map.of(B, 7L, C, 6L), 8, MAX + 2, MAX)).isEmpty();
    assertThat(fed.stalled(Map.of(B, 7L, C, 6L), 8, 2 * MAX + 2, MAX)).containsExactly(B);
  }

  @Test
  void memberThatHasEverythingOrIsGoneIsNot() {
    assertThat(fed.stalled(Map.of(B, RatisLog.NONE, C, 5L), 5, 0, MAX)).isEmpty();
    assertThat(fed.stalled(Map.of(C, 5L), 5, 3 * MAX, MAX)).isEmpty();
    assertThat(fed.stalled(Map.of(B, RatisLog.NONE, C, 5L), 5, 4 * MAX, MAX)).isEmpty();
  }
}
