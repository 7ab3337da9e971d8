package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.log.ratis.threads.RatisInternals;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is added to a shard fetches a copy of another one. */
final class FetchingMemberTest {

  @TempDir private Path directory;

  /** Adds the fourth node, whose replica takes all that the leader's one has. */
  private static CompletableFuture<Void> add(
      OneShard shard, ThreeNodes cluster, LongConsumer beforeInstall) {
    NodeId leader = shard.leader();
    RatisLog log = shard.log(leader);
    RecordingReplica added = new RecordingReplica(shard.watched, 0);
    added.fetchFrom(log, shard.replica(leader), beforeInstall);
    shard.start(ThreeNodes.FOURTH, added);
    Configuration expected = log.configuration();
    Map<NodeId, String> wanted = new HashMap<>(expected.members());
    wanted.put(ThreeNodes.FOURTH, cluster.addressOfFourth());
    return log.change(expected, wanted);
  }

  /** The others have no entry yet: the copy is at the first one of the log, which names members. */
  @Test
  void copyWithoutAnEntryIsOpenedAgain() throws Exception {
    try (ThreeNodes cluster = ThreeNodes.open(directory)) {
      cluster.startFourth();
      OneShard shard = new OneShard(cluster, 0);
      AtomicReference<@Nullable Long> place = new AtomicReference<>();
      add(shard, cluster, place::set).join();
      assertThat(place).hasValue(0L);
      shard.stop(ThreeNodes.FOURTH);

      shard.start(ThreeNodes.FOURTH, 0);
      shard.append("entry", 16); // until each of the four has it

      assertThat(shard.replica(ThreeNodes.FOURTH).texts()).containsExactly("entry");
      shard.stop(ThreeNodes.FOURTH);
      RecordingReplica all = new RecordingReplica(shard.watched, 0);
      OfflineLog files = new OfflineLog(directory.resolve("d"), "test", 0);
      assertThat(files.examine(OptionalLong.empty())).isEqualTo(OfflineLog.Condition.WHOLE);
      files.start(all);
      assertThat(all.texts()).containsExactly("entry");
    }
  }

  /** Objects are closed before a copy is put in its place, which takes as long as their calls. */
  @Test
  void shardThatPutsItsCopyInPlaceHoldsNoOtherShard() throws Exception {
    try (ThreeNodes cluster = ThreeNodes.open(directory)) {
      cluster.startFourth();
      OneShard fetching = new OneShard(cluster, 0);
      OneShard other = new OneShard(cluster, 1);
      other.start(ThreeNodes.FOURTH, 0);
      CountDownLatch isInstalling = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      var _ =
          add(
              fetching,
              cluster,
              _ -> {
                isInstalling.countDown();
                await(goOn);
              });
      isInstalling.await();
      try {
        // This says that it does not lead, and that waits for the end of what is put in place.
        RatisLog log = fetching.log(ThreeNodes.FOURTH);
        log.propose(ByteBuffer.allocate(16), () -> {});
        ReentrantLock calling =
            (ReentrantLock) RatisInternals.valueOf(RatisInternals.valueOf(log, "calls"), "calling");
        while (!calling.hasQueuedThreads()) {
          Thread.onSpinWait();
        }

        AtomicBoolean isRefused = new AtomicBoolean();
        other
            .log(ThreeNodes.FOURTH)
            .propose(
                ByteBuffer.allocate(16), () -> other.watched.change(() -> isRefused.set(true)));
        other.watched.await("an event of the other shard", isRefused::get);
      } finally {
        goOn.countDown();
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
