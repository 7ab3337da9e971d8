package dev.holdfast.journal.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.OwnershipLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A caller that waits until it is proven that what it has read is not old. */
final class AwaitedProofTest {

  private final SimulatedShard shard =
      new SimulatedShard(RandomGeneratorFactory.of("L64X128MixRandom").create(1));

  private final ExecutorService caller = Executors.newSingleThreadExecutor();

  @AfterEach
  void close() {
    caller.close();
    shard.close();
  }

  private CompletableFuture<Void> read(ShardJournal journal) {
    return CompletableFuture.runAsync(() -> journal.awaitProven(journal.lastPosition()), caller);
  }

  private static void untilItWaits(
      CompletableFuture<Void> read, ShardJournal journal, int waiters) {
    while (!read.isDone() && journal.statistics().waiters() < waiters) {
      Thread.onSpinWait();
    }
  }

  /** What waits counts as waiting a moment before its group is proposed. */
  private void settle(CompletableFuture<Void> read) {
    while (!read.isDone()) {
      shard.log().settle();
    }
  }

  /** Another node owns the shard, and this one has not heard of it. */
  private void takeOver() {
    shard.replica("b").claim();
    shard.log().order(new NodeId("b"));
  }

  @Test
  void ownerIsProven() {
    ShardJournal owner = shard.owned("a");
    CompletableFuture<Void> read = read(owner);
    untilItWaits(read, owner, 1);
    assertThat(read).isNotDone();
    settle(read);
    read.join();
  }

  @Test
  void deposedOwnerThatHasNotHeardOfItIsNotProven() {
    ShardJournal deposed = shard.owned("a");
    takeOver();
    CompletableFuture<Void> read = read(deposed);
    untilItWaits(read, deposed, 1);
    settle(read);
    assertThatThrownBy(read::join).hasRootCauseInstanceOf(OwnershipLostException.class);
  }

  @Test
  void proofThatWasProposedBeforeCountsForNoLaterRead() {
    ShardJournal deposed = shard.owned("a");
    CompletableFuture<Void> early = new CompletableFuture<>();
    deposed.whenProven(
        failure -> {
          if (failure == null) {
            early.complete(null);
          } else {
            early.completeExceptionally(failure);
          }
        });
    shard.log().order(new NodeId("a")); // it is in the log before the other node has the shard
    takeOver();
    CompletableFuture<Void> late = read(deposed);
    untilItWaits(late, deposed, 2);
    settle(late);
    early.join();
    assertThatThrownBy(late::join).hasRootCauseInstanceOf(OwnershipLostException.class);
  }
}
