package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthReason;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node does that waits to be added. */
final class AddedNodeTest {

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, Counter.CounterObject::new);
  }

  /** {@return a disk that notes which threads reach files of shards} */
  private static Disk noting(Set<Thread> threads) {
    Disk disk = new FileDisk();
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (_, method, arguments) -> {
              if (arguments != null
                  && arguments[0] instanceof Path path
                  && path.toString().contains("shards")) {
                threads.add(Thread.currentThread());
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Its connections would be silent meanwhile, if those threads are few. */
  @Test
  void firstCopyIsNotOpenedOnACarrierOfVirtualThreads() throws Exception {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    try (ThreeNodes nodes = ThreeNodes.open(directory, 1, AddedNodeTest::register)) {
      nodes.openFourth(noting(threads));
      threads.clear();
      ThreeNodes.untilChanged(() -> nodes.get("a").add(nodes.fourth()));
      nodes.awaitReady();
    }
    assertThat(threads).isNotEmpty().noneMatch(Thread::isVirtual);
  }

  @Test
  void nodeThatWaitsWithAnotherNumberOfShardsSaysSo() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, 1, AddedNodeTest::register)) {
      try {
        nodes.openNode("d", _ -> nodes.optionsOfFourth("test").withShards(2));
      } catch (ClusterException e) { // on a busy machine, it may be open before it hears it
        assertThat(e.reason()).isEqualTo(Reason.SHARDS);
        return;
      }
      while (nodes.get("d").health().reasons().stream()
          .noneMatch(
              each ->
                  each.code().equals(HealthReason.NODE_REFUSED)
                      && each.text().contains("has 2 shards"))) {
        Polling.pause();
      }
    }
  }
}
