package dev.holdfast.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.log.NodeId;
import org.junit.jupiter.api.Test;

/** A member is away when nothing was heard of it for a time. */
final class AwayMembersTest {

  private static final NodeId C = new NodeId("c");

  private static final long ENOUGH = 60;

  private final AwayMembers away = new AwayMembers(ENOUGH);

  @Test
  void countsFromTheFirstAttemptThatFindsNothing() {
    assertThat(away.isAwayLong(C)).isFalse();
    away.unreachable(C, 100);
    assertThat(away.isAwayLong(C)).isFalse();
    away.unreachable(C, 100 + ENOUGH - 1);
    assertThat(away.isAwayLong(C)).isFalse();
    away.unreachable(C, 100 + ENOUGH);
    assertThat(away.isAwayLong(C)).isTrue();
  }

  @Test
  void beginsAgainWhenTheMemberAnswers() {
    away.unreachable(C, 100);
    away.answered(C);
    away.unreachable(C, 150);
    away.unreachable(C, 160);
    assertThat(away.isAwayLong(C)).isFalse();
    away.unreachable(C, 150 + ENOUGH);
    assertThat(away.isAwayLong(C)).isTrue();
    away.answered(C);
    assertThat(away.isAwayLong(C)).isFalse();
  }
}
