package dev.holdfast.cluster.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.log.NodeId;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RoutingTableTest {

  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  private final RoutingTable table = new RoutingTable(new ShardMap(4));

  @Test
  void noOwnerIsKnownAtFirst() {
    assertThat(table.ownerOf(3)).isEmpty();
  }

  @Test
  void laterOwnerReplacesAnEarlierOne() {
    assertThat(table.learn(1, new ShardOwnership(A, 5))).isTrue();
    assertThat(table.learn(1, new ShardOwnership(B, 9))).isTrue();
    assertThat(table.learn(1, new ShardOwnership(A, 5))).isFalse();

    assertThat(table.ownerOf(1)).contains(new ShardOwnership(B, 9));
    assertThat(table.ownerOf(0)).isEmpty();
  }

  @Test
  void sameOwnerWithALaterEpochIsNoOtherOwner() {
    table.learn(1, new ShardOwnership(A, 5));

    assertThat(table.learn(1, new ShardOwnership(A, 7))).isFalse();
    assertThat(table.ownerOf(1)).contains(new ShardOwnership(A, 7));
  }

  @Test
  void forgottenOwnerDoesNotLetAnOlderOneBack() {
    table.learn(1, new ShardOwnership(B, 9));
    table.forget(1, A);
    assertThat(table.ownerOf(1)).contains(new ShardOwnership(B, 9));

    table.forget(1, B);
    assertThat(table.ownerOf(1)).isEmpty();
    table.learn(1, new ShardOwnership(A, 5));
    assertThat(table.ownerOf(1)).isEmpty();
    table.learn(1, new ShardOwnership(B, 9));
    assertThat(table.ownerOf(1)).contains(new ShardOwnership(B, 9));
  }

  @Test
  void onlyALaterOwnershipWakes() {
    AtomicInteger woken = new AtomicInteger();
    table.learn(1, new ShardOwnership(B, 9));
    table.awaitLater(1, 9, woken::incrementAndGet);
    table.learn(1, new ShardOwnership(A, 5));
    table.forget(1, B);
    table.learn(1, new ShardOwnership(B, 9));
    table.learn(0, new ShardOwnership(A, 12));
    assertThat(woken).hasValue(0);

    table.learn(1, new ShardOwnership(B, 10));
    assertThat(woken).hasValue(1);
  }

  @Test
  void ownershipThatWasLearnedMeanwhileWakesAtOnce() {
    AtomicInteger woken = new AtomicInteger();
    long epoch = table.lastEpoch(1);
    table.learn(1, new ShardOwnership(B, 9));
    table.awaitLater(1, epoch, woken::incrementAndGet);
    assertThat(woken).hasValue(1);
  }

  @Test
  void callerThatWaitsNoMoreIsNotWoken() {
    AtomicInteger woken = new AtomicInteger();
    Runnable wake = woken::incrementAndGet;
    table.awaitLater(1, 0, wake);
    table.stopWaiting(1, wake);
    table.learn(1, new ShardOwnership(B, 9));
    assertThat(woken).hasValue(0);
  }
}
