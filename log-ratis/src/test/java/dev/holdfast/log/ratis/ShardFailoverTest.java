package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The journal of a shard on three nodes: what was acknowledged survives its owners. */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
final class ShardFailoverTest {

  private static final ObjectKey KEY = new ObjectKey("accounts", ObjectId.of(new byte[32], null));
  private static final int RECORDS = 40;
  private static final int ROUNDS =
      Objects.equals(System.getProperty("holdfast.tests"), "long") ? 30 : 1;

  @TempDir private Path directory;

  private final Watched watched = new Watched();
  private final Map<NodeId, Node> nodes = new HashMap<>();
  private final List<String> acknowledged = new ArrayList<>();

  @Test
  void nothingAcknowledgedIsLostWhenOwnersEnd() {
    try (ThreeNodes cluster = ThreeNodes.open(directory.resolve("logs"))) {
      ThreeNodes.NAMES.forEach(id -> nodes.put(id, new Node(id, cluster)));
      for (int round = 0; round < ROUNDS; round++) {
        Node owner = owner();
        append(owner, "round " + round);
        owner.stop();
        append(owner(), "without " + owner.id);
        owner.start(cluster);
      }
      append(owner(), "end");

      List<String> expected = List.copyOf(acknowledged);
      for (Node node : nodes.values()) {
        watched.await(
            "the last record at " + node.id,
            () -> node.replica().lastPosition() >= owner().replica().lastPosition());
        assertThat(node.records()).containsSubsequence(expected).doesNotHaveDuplicates();
      }
      nodes.values().forEach(Node::stop);
    }
  }

  /** {@return the node whose journal works; its ownership may end at any time} */
  private Node owner() {
    watched.await("an owner", () -> nodes.values().stream().anyMatch(Node::isOwner));
    return nodes.values().stream().filter(Node::isOwner).findFirst().orElseGet(this::owner);
  }

  /** Appends records one after the other, each until it is acknowledged. */
  private void append(Node first, String text) {
    Node node = first;
    for (int i = 0; i < RECORDS; ) {
      String record = text + " / " + i + " / " + acknowledged.size();
      try {
        ShardJournal journal = node.owned();
        long position =
            journal.append(
                RecordKind.BATCH,
                1,
                KEY,
                ChainLink.FIRST,
                ByteBuffer.wrap(record.getBytes(StandardCharsets.UTF_8)));
        journal.awaitDurable(position);
        acknowledged.add(record);
        i++;
      } catch (JournalFailedException e) {
        text = text + "'"; // it may be there all the same, so the next one has another name
        node = owner();
      }
    }
  }

  private final class Node implements ShardHost.Owner {

    private final NodeId id;
    private final ExecutorService saver = thread();
    private final ExecutorService proposer = thread();
    private final ExecutorService notifier = thread();
    private @Nullable RatisLog log;
    private @Nullable ShardReplica replica;
    private @Nullable ShardJournal journal; // guarded by watched

    Node(NodeId id, ThreeNodes cluster) {
      this.id = id;
      start(cluster);
    }

    private ExecutorService thread() {
      return Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    }

    void start(ThreeNodes cluster) {
      JournalOptions options =
          JournalOptions.DEFAULT
              .withSegmentBytes(16384)
              .withSalts(new Random(id.hashCode())::nextLong);
      ShardReplica opened =
          ShardReplica.open(
              directory.resolve("replica-" + id),
              options,
              new ShardHost(id, new VirtualClock(), saver, proposer, notifier, this));
      RatisLog ofShard = cluster.node(id).log(0, stopped -> {});
      replica = opened;
      log = ofShard;
      opened.start(ofShard);
    }

    void stop() {
      watched.change(() -> journal = null);
      Objects.requireNonNull(log).close();
      replica().close();
      log = null;
    }

    ShardReplica replica() {
      return Objects.requireNonNull(replica);
    }

    @Override
    public void mayLead(boolean yes) {
      if (yes) {
        replica().claim();
      }
    }

    @Override
    public void owns(ShardJournal owned) {
      owned.onFailure(
          failure ->
              watched.change(
                  () -> {
                    if (journal == owned) {
                      journal = null;
                    }
                  }));
      watched.change(() -> journal = owned);
    }

    boolean isOwner() {
      return watched.read(() -> journal) != null;
    }

    ShardJournal owned() {
      ShardJournal owned = watched.read(() -> journal);
      if (owned == null) {
        throw new JournalFailedException("Node " + id + " does not own the shard.", null);
      }
      return owned;
    }

    List<String> records() {
      List<String> texts = new ArrayList<>();
      replica()
          .history()
          .forEach(
              1,
              Long.MAX_VALUE,
              record ->
                  texts.add(
                      StandardCharsets.UTF_8.decode(record.payload().duplicate()).toString()));
      return texts;
    }
  }
}
