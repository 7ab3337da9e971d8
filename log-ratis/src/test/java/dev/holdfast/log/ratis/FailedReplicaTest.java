package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node whose replica has failed leads no more: another node opens the shard. */
final class FailedReplicaTest {

  private static final ObjectKey KEY = new ObjectKey("accounts", ObjectId.of(new byte[32], null));

  @TempDir private Path directory;

  private final Watched watched = new Watched();
  private final Map<NodeId, Node> nodes = new HashMap<>();

  @Test
  void anotherNodeOwnsTheShardAfterASaveHasFailed() {
    try (ThreeNodes cluster = ThreeNodes.open(directory.resolve("logs"))) {
      ThreeNodes.NAMES.forEach(id -> nodes.put(id, new Node(id, cluster)));
      Node first = awaitOwner(null);
      ShardJournal journal = first.journal();
      long position =
          journal.append(
              RecordKind.BATCH, 1, KEY, ChainLink.FIRST, ByteBuffer.wrap(new byte[] {1}));
      journal.awaitDurable(position);

      first.disk.fail(FaultyDisk.Operation.FORCE, 1);
      first.clock.advance(Duration.ofSeconds(2));
      watched.await("the end of the replica", () -> first.replica.failure() != null);

      Node second = awaitOwner(first);
      assertThat(second.replica.lastPosition()).isGreaterThanOrEqualTo(position);
      ShardJournal next = second.journal();
      next.awaitDurable(
          next.append(RecordKind.BATCH, 1, KEY, ChainLink.FIRST, ByteBuffer.wrap(new byte[] {2})));
      assertThat(first.log.failure()).isNotNull();
      assertThat(first.isOwner()).isFalse();
      nodes.values().forEach(Node::stop);
    }
  }

  private Node awaitOwner(@Nullable Node except) {
    watched.await(
        "an owner",
        () -> nodes.values().stream().anyMatch(node -> node != except && node.isOwner()));
    return nodes.values().stream()
        .filter(node -> node != except && node.isOwner())
        .findFirst()
        .orElseThrow();
  }

  private final class Node implements ShardHost.Owner {

    private final NodeId id;
    private final FaultyDisk disk = new FaultyDisk(new FileDisk());
    private final VirtualClock clock = new VirtualClock();
    private final ExecutorService saver = thread();
    private final ExecutorService proposer = thread();
    private final ExecutorService notifier = thread();
    private final RatisLog log;
    private final ShardReplica replica;
    private @Nullable ShardJournal journal; // guarded by watched

    Node(NodeId id, ThreeNodes cluster) {
      this.id = id;
      JournalOptions options =
          JournalOptions.DEFAULT
              .withDisk(disk)
              .withSegmentBytes(16384)
              .withSalts(new Random(id.hashCode())::nextLong);
      replica =
          ShardReplica.open(
              directory.resolve("replica-" + id),
              options,
              new ShardHost(id, clock, saver, proposer, notifier, this));
      log = cluster.node(id).log(0, stopped -> {});
      replica.start(log);
    }

    private ExecutorService thread() {
      return Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    }

    @Override
    public void mayLead(boolean yes) {
      if (yes) {
        proposer.execute(() -> replica.claim()); // not before the constructor has ended
      }
    }

    @Override
    public void stopped(RuntimeException why) {
      watched.change(() -> journal = null);
    }

    @Override
    public void owns(ShardJournal owned) {
      watched.change(() -> journal = owned);
    }

    boolean isOwner() {
      return watched.read(() -> journal) != null;
    }

    ShardJournal journal() {
      ShardJournal owned = watched.read(() -> journal);
      if (owned == null) {
        throw new AssertionError("Node " + id + " does not own the shard.");
      }
      return owned;
    }

    void stop() {
      log.close();
      replica.close();
    }
  }
}
