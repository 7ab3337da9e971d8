package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.statistics.RuntimeState;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The engine of a shard has failed in its own work: the shard is opened again. */
final class FailedEngineTest {

  @TempDir private Path directory;

  private Duration closeTimeout = RuntimeOptions.DEFAULT.closeTimeout();

  /** As if memory had run out between two steps of the engine. */
  private static void fail(ObjectRuntime engine) throws Exception {
    Method failed = engine.getClass().getDeclaredMethod("engineFailed", Throwable.class);
    failed.setAccessible(true);
    failed.invoke(engine, new OutOfMemoryError("planned"));
    // The node may have found it already, and close it.
    assertThat(engine.statistics().state()).isNotEqualTo(RuntimeState.OPEN);
  }

  /** A call that ends when the test wants it. */
  public interface Slow {

    /** Waits, whatever interrupts it. */
    void call();
  }

  private final CountDownLatch isCalled = new CountDownLatch(1);
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  private ClusterRuntime open() throws Exception {
    ClusterOptions options =
        ClusterOptions.of("test")
            .node("a")
            .members("a=127.0.0.1:" + FreePorts.pairs(1).getFirst())
            .withShards(1);
    ClusterRuntime node =
        ClusterHoldfast.open(
            directory,
            options,
            objects -> {
              objects.options(RuntimeOptions.DEFAULT.withCloseTimeout(closeTimeout));
              objects.namespace("counters", Counter.class, Counter.CounterObject::new);
              objects.namespace(
                  "slow",
                  Slow.class,
                  _ ->
                      (Slow)
                          () -> {
                            isCalled.countDown();
                            end.join();
                          });
            });
    assertThat(node.awaitReady(Duration.ofMinutes(1))).isTrue();
    return node;
  }

  private static NodeShard shard(ClusterRuntime node) {
    return ((ClusterNode) node).shard(0);
  }

  @Test
  @Timeout(120)
  void shardIsOpenedAgainThatNoOtherNodeCanTake() throws Exception {
    try (ClusterRuntime node = open()) {
      Counter counter = node.namespace("counters", Counter.class).getByName("x");
      assertThat(counter.add(1)).isEqualTo(1);

      fail(Objects.requireNonNull(shard(node).openObjects()).runtime());

      assertThat(ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), 1)).isEqualTo(2);
    }
  }

  @Test
  @Timeout(120)
  void callThatGoesOnHoldsNoShardWhoseEngineHasFailed() throws Exception {
    requireOpenedAgainThoughACallGoesOn(
        node -> fail(Objects.requireNonNull(shard(node).openObjects()).runtime()));
  }

  /** The next owner may be this node again. */
  @Test
  @Timeout(120)
  void callThatGoesOnHoldsNoShardWhoseOwnershipHasEnded() throws Exception {
    requireOpenedAgainThoughACallGoesOn(
        node -> {
          ((ShardReplica) valueOf(valueOf(shard(node), "copy"), "replica")).claim();
        });
  }

  private static Object valueOf(Object owner, String name) throws ReflectiveOperationException {
    Field field = owner.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(owner);
  }

  private interface End {

    void of(ClusterRuntime node) throws Exception;
  }

  private void requireOpenedAgainThoughACallGoesOn(End ownership) throws Exception {
    closeTimeout = Duration.ofDays(1);
    try (ClusterRuntime node = open()) {
      Counter counter = node.namespace("counters", Counter.class).getByName("x");
      assertThat(counter.add(1)).isEqualTo(1);
      Slow slow = node.namespace("slow", Slow.class).getByName("x");
      Thread caller =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      slow.call();
                    } catch (HoldfastException e) {
                      // It is reset, and what it does is lost.
                    }
                  });
      isCalled.await();

      ownership.of(node);

      assertThat(ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), 1)).isEqualTo(2);
      assertThat(end).isNotDone();
      end.complete(null);
      caller.join();
    } finally {
      end.complete(null);
    }
  }
}
