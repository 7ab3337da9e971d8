package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A disk that answers no sync any more holds up nobody, neither at a follower nor at the owner. */
final class HangingDiskTest {

  private static final int MEBIBYTE = 1 << 20;

  /** Short logs: their replicas are saved often, which syncs what they have written. */
  private static final ClusterNode.Settings LOGS =
      ClusterNode.Settings.DEFAULT.withLog(2 * MEBIBYTE, 4 * MEBIBYTE);

  private static final int CALLS = 20;
  private static final int VALUE_BYTES = 50_000;

  /** Counts, and writes so much that logs become full. */
  record LargeCounter(ObjectContext context) implements Counter {

    @Override
    public long add(long more) {
      context.storage().put("more", new byte[VALUE_BYTES]);
      return new CounterObject(context).add(more);
    }
  }

  /** Holds every sync between {@link #hold} and {@link #letGo}. */
  private static final class HeldDisk extends ForwardingDisk {

    private final Semaphore open = new Semaphore(Integer.MAX_VALUE);
    private final AtomicInteger heldBack = new AtomicInteger();

    HeldDisk() {
      super(new FileDisk());
    }

    void hold() {
      open.drainPermits();
    }

    void letGo() {
      open.release(Integer.MAX_VALUE);
    }

    @Override
    protected void force(Path path, DiskFile file) throws IOException {
      if (!open.tryAcquire()) {
        heldBack.incrementAndGet();
        open.acquireUninterruptibly();
      }
      try {
        file.force();
      } finally {
        open.release();
      }
    }
  }

  @TempDir private Path directory;

  private final HeldDisk disk = new HeldDisk();
  private long count;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, LargeCounter::new);
  }

  private void count(ThreeNodes nodes, String node) {
    Counter counter = nodes.get(node).namespace("counters", Counter.class).getByName("one");
    for (int i = 0; i < CALLS; i++) {
      count = ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), count);
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void othersGoOnAndTheNodeHasAllWhenItsDiskAnswersAgain() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.prepare(directory, 1, HangingDiskTest::register)) {
      nodes.openNode("a", LOGS);
      nodes.openNode("b", LOGS);
      nodes.openNode("c", LOGS, disk);
      nodes.awaitReady();
      for (String owner : List.of("a", "c")) {
        nodes.move(0, owner);
        count(nodes, "b");

        disk.hold();
        try {
          int before = disk.heldBack.get();
          while (disk.heldBack.get() == before) {
            count(nodes, "b");
          }
          count(nodes, "b");
        } finally {
          disk.letGo();
        }
        count(nodes, "b");
        nodes.awaitAllAlike();
        nodes.move(0, "b");
        assertThat(nodes.get("b").namespace("counters", Counter.class).getByName("one").add(0))
            .as("with owner %s", owner)
            .isEqualTo(count);
      }
    }
  }
}
