package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.disk.FileDisk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** An owner that needs long to open the objects of its shard. */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
final class HeldOpeningTest {

  /** Holds the thread that opens the only shard, once its node owns it. */
  private final class HeldDisk extends ForwardingDisk {

    HeldDisk() {
      super(new FileDisk());
    }

    @Override
    public boolean exists(Path path) {
      if (Thread.currentThread().getName().equals("holdfast-shard-0") && isOwner()) {
        opening.countDown();
        awaitLetGo();
      }
      return super.exists(path);
    }

    private void awaitLetGo() {
      try {
        letGo.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @TempDir private Path directory;

  private final CountDownLatch opening = new CountDownLatch(1);
  private final CountDownLatch letGo = new CountDownLatch(1);
  private volatile ThreeNodes open;

  private boolean isOwner() {
    ThreeNodes nodes = open;
    return nodes != null && "c".equals(nodes.get("c").shards().getFirst().owner());
  }

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, Counter.CounterObject::new);
  }

  @Test
  @Timeout(120)
  void callWaitsForAnOpeningNoLongerThanForAnOwner() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.prepare(directory, 1, HeldOpeningTest::register)) {
      nodes.openNode("a", options -> options.withRouteTimeout(Duration.ofSeconds(3)));
      nodes.openNode("b");
      nodes.openNode("c", ClusterNode.Settings.DEFAULT, new HeldDisk());
      nodes.awaitReady();
      nodes.move(0, "b");
      Counter counter = nodes.get("a").namespace("counters", Counter.class).getByName("x");
      assertThat(counter.add(1)).isOne();
      open = nodes;
      Thread moving = Thread.ofPlatform().start(() -> nodes.move(0, "c"));
      opening.await();

      try {
        assertThatThrownBy(() -> counter.add(1))
            .isInstanceOfSatisfying(
                ObjectUnavailableException.class,
                e -> assertThat(e.delivery()).isEqualTo(Delivery.NOT_DELIVERED));
      } finally {
        letGo.countDown();
      }

      moving.join();
      assertThat(ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), 1)).isEqualTo(2);
    }
  }
}
