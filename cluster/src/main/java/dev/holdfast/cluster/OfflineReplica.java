package dev.holdfast.cluster;

import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A copy of a shard that takes no part in a log while it is open. Stateless. */
final class OfflineReplica {

  private OfflineReplica() {}

  /**
   * Uses a copy, and makes durable what it has got.
   *
   * @param directory of the copy, created if missing; no process uses it
   * @param disk has it
   * @param node whose copy it is
   * @param others the copies of other nodes; null if none is asked
   * @param use uses it
   * @return what the use returns
   */
  static <R> R use(
      Path directory,
      Disk disk,
      NodeId node,
      @Nullable Others others,
      Function<ShardReplica, R> use) {
    try (ExecutorService saver =
            Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("holdfast-shard-saver").factory());
        SystemTimeSource time = new SystemTimeSource()) {
      ShardHost host =
          new ShardHost(node, time, saver, Runnable::run, Runnable::run, new Nobody(others));
      ShardReplica replica =
          ShardReplica.open(directory, JournalOptions.DEFAULT.withDisk(disk), host);
      R result;
      try (replica) {
        result = use.apply(replica);
      }
      RuntimeException failure = replica.failure();
      if (failure != null) {
        throw failure;
      }
      return result;
    }
  }

  /**
   * The copies of other nodes.
   *
   * @param now gives what they have now
   * @param damagedSource is notified when one of them gave what is damaged
   */
  record Others(Supplier<ReplicaSource> now, Runnable damagedSource) {}

  /** Nothing is opened on the copy. */
  private record Nobody(@Nullable Others copies) implements ShardHost.Owner {

    @Override
    public @Nullable ReplicaSource others() {
      return copies == null ? null : copies.now().get();
    }

    @Override
    public void fetchedDamage() {
      if (copies != null) {
        copies.damagedSource().run();
      }
    }

    @Override
    public void mayLead(boolean yes) {
      // Nobody claims the shard.
    }

    @Override
    public void owns(ShardJournal journal) {
      throw new IllegalStateException("A copy that nobody claims is owned by nobody.");
    }
  }
}
