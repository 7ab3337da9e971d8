package dev.holdfast.cluster.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.log.NodeId;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class RoutingTableTest {

  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  private final RoutingTable table = new RoutingTable(ShardMap.even(4));

  @Test
  void noOwnerIsKnownAtFirst() {
    assertThat(table.ownerOf(3)).isEmpty();
  }

  @Test
  void laterOwnerReplacesAnEarlierOne() {
    assertThat(table.learn(1, new Ownership(A, 5))).isTrue();
    assertThat(table.learn(1, new Ownership(B, 9))).isTrue();
    assertThat(table.learn(1, new Ownership(A, 5))).isFalse();

    assertThat(table.ownerOf(1)).contains(new Ownership(B, 9));
    assertThat(table.ownerOf(0)).isEmpty();
  }

  @Test
  void sameOwnerWithALaterEpochIsNoOtherOwner() {
    table.learn(1, new Ownership(A, 5));

    assertThat(table.learn(1, new Ownership(A, 7))).isFalse();
    assertThat(table.ownerOf(1)).contains(new Ownership(A, 7));
  }

  @Test
  void forgottenOwnerDoesNotLetAnOlderOneBack() {
    table.learn(1, new Ownership(B, 9));
    table.forget(1, A);
    assertThat(table.ownerOf(1)).contains(new Ownership(B, 9));

    table.forget(1, B);
    assertThat(table.ownerOf(1)).isEmpty();
    table.learn(1, new Ownership(A, 5));
    assertThat(table.ownerOf(1)).isEmpty();
    table.learn(1, new Ownership(B, 9));
    assertThat(table.ownerOf(1)).contains(new Ownership(B, 9));
  }

  @Test
  void onlyALaterOwnershipIsTheNextOne() {
    CompletableFuture<Void> first = table.nextOwnership(1);
    table.learn(1, new Ownership(B, 9));
    assertThat(first).isDone();

    CompletableFuture<Void> second = table.nextOwnership(1);
    table.learn(1, new Ownership(A, 5));
    table.forget(1, B);
    table.learn(1, new Ownership(B, 9));
    table.learn(0, new Ownership(A, 12));
    assertThat(second).isNotDone();

    table.learn(1, new Ownership(B, 10));
    assertThat(second).isDone();
  }
}
