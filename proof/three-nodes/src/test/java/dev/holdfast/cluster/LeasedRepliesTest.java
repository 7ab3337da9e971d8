package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Consistency;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.shard.OwnedShard;
import dev.holdfast.faults.Polling;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that are answered by the lease of their owner, on three nodes. */
class LeasedRepliesTest {

  private static final Duration LEASE = Duration.ofSeconds(1);

  /** Counts. */
  public interface Tally {

    /** Adds to the count, and returns it. */
    long add(long more);

    /** Returns the count. */
    long count();
  }

  private record TallyObject(ObjectContext context) implements Tally {

    @Override
    public long add(long more) {
      long count = count() + more;
      context.storage().put("count", count);
      return count;
    }

    @Override
    public long count() {
      return context.storage().get("count", Long.class).orElse(0L);
    }
  }

  private static void register(ObjectRegistrar objects) {
    objects.namespace(
        "tallies",
        Tally.class,
        TallyObject::new,
        NamespaceOptions.DEFAULT.withConsistency(Consistency.LEASE));
  }

  @TempDir private Path directory;

  private ThreeNodes nodes;

  private Tally tally(String node) {
    return nodes.get(node).namespace("tallies", Tally.class).getByName("x");
  }

  private String owner() throws InterruptedException {
    nodes.awaitReady();
    String owner = nodes.get("a").shards().getFirst().owner();
    assertThat(owner).isNotNull();
    return owner;
  }

  private long add(String node, long before) {
    return ThreeNodes.addedOnce(() -> tally(node).add(1), () -> tally(node).count(), before);
  }

  /** Reads until the owner, which may change on a busy machine, has answered by its lease. */
  private void readByLease(long expected) throws InterruptedException {
    while (true) {
      String owner = owner();
      assertThat(ThreeNodes.known(() -> tally(owner).count())).isEqualTo(expected);
      OwnedShard here = ((ClusterNode) nodes.get(owner)).shard(0).openObjects();
      if (here != null && here.journal().isLeased()) {
        return;
      }
    }
  }

  @Test
  void leasedObjectIsRightAfterMovesAndTheLossOfItsOwner() throws Exception {
    nodes = ThreeNodes.prepare(directory, 1, LeasedRepliesTest::register);
    try (ThreeNodes open = nodes) {
      for (String name : List.of("a", "b", "c")) {
        open.openNode(name, options -> options.withLease(LEASE));
      }
      assertThat(add("a", 0)).isEqualTo(1);
      readByLease(1);
      for (String name : open.names()) {
        assertThat(ThreeNodes.known(() -> tally(name).count())).isEqualTo(1);
      }

      String first = owner();
      String second = open.names().stream().filter(each -> !each.equals(first)).findAny().get();
      open.move(0, second);
      assertThat(add(first, 1)).isEqualTo(2);
      readByLease(2);

      String lost = owner();
      // Its copy stops, as when its disk fails: it releases nothing.
      ((ClusterNode) open.get(lost)).kept(0).logStopped(new IllegalStateException("the test"));
      String third = open.names().stream().filter(each -> !each.equals(lost)).findAny().get();
      assertThat(add(third, 2)).isEqualTo(3);
      while (open.get(lost).statistics().cluster().ownerships().lost() == 0) {
        Polling.pause(); // its objects are closed
      }
      for (String name : open.names()) {
        assertThat(ThreeNodes.known(() -> tally(name).count())).as(name).isEqualTo(3);
      }
    }
  }

  @Test
  void leaseHasBounds() {
    ClusterOptions options = ClusterOptions.of("shop");
    assertThat(options.lease()).isEqualTo(Duration.ofMillis(500));
    assertThat(options.withLease(Duration.ofMillis(50)).lease()).isEqualTo(Duration.ofMillis(50));
    assertThat(options.withLease(Duration.ofSeconds(10)).lease()).isEqualTo(Duration.ofSeconds(10));
    for (Duration wrong : List.of(Duration.ofMillis(49), Duration.ofMillis(10_001))) {
      assertThatThrownBy(() -> options.withLease(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("from 50 ms to 10 s");
    }
  }
}
