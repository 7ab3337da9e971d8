package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.faults.Polling;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of two versions work together, and the newer entries are written once all read them. */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
final class RollingUpgradeTest {

  private static final ClusterNode.Settings OLD = ClusterNode.Settings.DEFAULT.reading(2);
  private static final ClusterNode.Settings NEW = ClusterNode.Settings.DEFAULT.reading(3);

  /** Counts. */
  public interface Counter {

    /** Adds to the count. */
    long add(long delta);
  }

  record CounterObject(ObjectContext context) implements Counter {
    @Override
    public long add(long delta) {
      long count = context.storage().get("count", Long.class).orElse(0L) + delta;
      context.storage().put("count", count);
      return count;
    }
  }

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, CounterObject::new);
  }

  private static void awaitVersion(ThreeNodes nodes, int version) {
    for (String name : nodes.names()) {
      while (nodes.get(name).shards().getFirst().agreedVersion() != version) {
        Polling.pause();
      }
    }
  }

  /** Of another object: the purge of one takes a turn, and its outcome may be unknown. */
  private static CompletableFuture<Void> purge(ThreeNodes nodes) {
    ClusterRuntime node = nodes.get("a");
    return node.admin()
        .purgeHistory("counters", node.namespace("counters", Counter.class).idFromName("y"));
  }

  private static void addUntil(
      AtomicBoolean isDone, Counter counter, CompletableFuture<Long> written) {
    long count = 0;
    try {
      while (!isDone.get()) {
        count = ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), count);
      }
      written.complete(count);
    } catch (RuntimeException e) {
      written.completeExceptionally(e);
    }
  }

  @Test
  void newerEntriesAreWrittenOnceTheLastNodeReadsThem() throws Exception {
    AtomicBoolean isDone = new AtomicBoolean();
    try (ThreeNodes nodes = ThreeNodes.prepare(directory, 1, RollingUpgradeTest::register)) {
      nodes.openNode("a", NEW);
      nodes.openNode("b", NEW);
      nodes.openNode("c", OLD);
      nodes.awaitReady();
      Counter counter = nodes.get("a").namespace("counters", Counter.class).getByName("x");
      CompletableFuture<Long> load = new CompletableFuture<>();
      // Not a thread of the common pool: the log needs these.
      Thread.ofPlatform().name("load").start(() -> addUntil(isDone, counter, load));
      try {
        nodes.move(0, "b");
        nodes.awaitReady();
        awaitVersion(nodes, 2); // the old one could not read anything else
        assertThatThrownBy(() -> purge(nodes).join())
            .hasStackTraceContaining("Nodes of an earlier version cannot purge");

        nodes.closeNode("c");
        nodes.openNode("c", NEW);
        nodes.awaitReady();
        awaitVersion(nodes, 2); // the owner goes on as it has begun
        for (String owner : List.of("a", "c")) {
          nodes.move(0, owner);
          nodes.awaitReady();
        }
        awaitVersion(nodes, 3);
        assertThat(nodes.get("c").shards().getFirst().owner()).isEqualTo("c");

        nodes.closeNode("b");
        assertThatThrownBy(() -> nodes.openNode("b", OLD))
            .isInstanceOfSatisfying(
                ClusterException.class,
                thrown -> assertThat(thrown.reason()).isEqualTo(Reason.VERSION))
            .hasMessageContaining("The versions do not meet")
            .hasMessageContaining("Install the version of Holdfast");
        nodes.openNode("b", NEW); // nothing is lost by the attempt
        nodes.awaitReady();
        nodes.move(0, "b");
        nodes.awaitReady();
        awaitVersion(nodes, 3);
        purge(nodes).join();
      } finally {
        isDone.set(true);
      }
      long written = load.join();
      assertThat(written).isPositive();
      assertThat(ThreeNodes.known(() -> counter.add(0))).isEqualTo(written);
    }
  }
}
