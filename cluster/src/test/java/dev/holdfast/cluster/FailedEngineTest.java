package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.statistics.RuntimeState;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The engine of a shard has failed in its own work: the shard is opened again. */
final class FailedEngineTest {

  @TempDir private Path directory;

  /** As if memory had run out between two steps of the engine. */
  private static void fail(ObjectRuntime engine) throws Exception {
    Method failed = engine.getClass().getDeclaredMethod("engineFailed", Throwable.class);
    failed.setAccessible(true);
    failed.invoke(engine, new OutOfMemoryError("planned"));
    assertThat(engine.statistics().state()).isEqualTo(RuntimeState.FAILED);
  }

  @Test
  @Timeout(120)
  void shardIsOpenedAgainThatNoOtherNodeCanTake() throws Exception {
    ClusterOptions options =
        ClusterOptions.of("test")
            .node("a")
            .members("a=127.0.0.1:" + FreePorts.pairs(1).getFirst())
            .withShards(1);
    try (ClusterRuntime node =
        ClusterHoldfast.open(
            directory,
            options,
            objects -> objects.namespace("counters", Counter.class, Counter.CounterObject::new))) {
      assertThat(node.awaitReady(Duration.ofMinutes(1))).isTrue();
      Counter counter = node.namespace("counters", Counter.class).getByName("x");
      assertThat(counter.add(1)).isEqualTo(1);
      NodeShard shard = ((ClusterNode) node).shard(0);

      fail(Objects.requireNonNull(shard.openObjects()).runtime());

      assertThat(ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), 1)).isEqualTo(2);
    }
  }
}
