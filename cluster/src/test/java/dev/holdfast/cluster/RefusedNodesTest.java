package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with another list of members says so, and begins no log. */
final class RefusedNodesTest {

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, Counter.CounterObject::new);
  }

  @Test
  void nodeWithAnotherListIsRefusedAndJoinsWithTheRightOne() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.prepare(directory, 1, RefusedNodesTest::register)) {
      nodes.openNode("a");
      String a = "a=" + nodes.addressOf("a");
      String b = "b=" + nodes.addressOf("b");

      assertThatThrownBy(
              () -> {
                while (true) { // on a busy machine, a may not have answered when it is open
                  nodes.openNode("b", options -> options.members(a, b, nodes.fourth()));
                  nodes.closeNode("b");
                }
              })
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MEMBERS))
          .hasMessageContaining("Give all nodes the same");
      assertThat(directory.resolve("b/shards/0000/log")).doesNotExist();
      assertThat(nodes.get("a").shards()).allMatch(shard -> shard.owner() == null);

      nodes.openNode("b");
      nodes.openNode("c");
      nodes.awaitReady();
      Counter counter = nodes.get("b").namespace("counters", Counter.class).getByName("one");
      assertThat(ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), 0)).isOne();
    }
  }
}
