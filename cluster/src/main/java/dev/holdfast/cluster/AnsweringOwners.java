package dev.holdfast.cluster;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.object.ClusterOperations;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

/**
 * Asks the owners of all shards until each has answered. What is known of an owner says less: after
 * all nodes were restarted, a log brings the owner of before. Confined to one thread.
 */
final class AnsweringOwners {

  private static final long LOOK_NANOS = 20_000_000;

  /** Without a majority each call fails at once. */
  private static final long AGAIN_NANOS = 200_000_000;

  private final ClusterOperations operations;
  private final Executor work;
  private final TimeSource time;
  private final Map<Integer, Asked> asked = new HashMap<>();

  private record Asked(CompletableFuture<?> answer, long nanos) {}

  AnsweringOwners(ClusterOperations operations, Executor work, TimeSource time) {
    this.operations = operations;
    this.work = work;
    this.time = time;
  }

  /** Waits until it is time to look again. */
  void pause() throws InterruptedException {
    CompletableFuture<Void> next = new CompletableFuture<>();
    time.schedule(LOOK_NANOS, () -> next.complete(null));
    try {
      next.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("A timer does not fail.", e);
    }
  }

  /** {@return whether all have answered; the others are asked at once} Does not block. */
  boolean allAnswer() {
    boolean haveAll = true;
    for (int shard = 0; shard < operations.shards(); shard++) {
      haveAll &= answers(shard);
    }
    return haveAll;
  }

  private boolean answers(int shard) {
    Asked last = asked.get(shard);
    long now = time.monotonicNanos();
    if (last == null
        || (last.answer().isCompletedExceptionally() && now - last.nanos() >= AGAIN_NANOS)) {
      last =
          new Asked(
              CompletableFuture.supplyAsync(() -> operations.of(shard).memberNames(), work), now);
      asked.put(shard, last);
    }
    return last.answer().isDone() && !last.answer().isCompletedExceptionally();
  }
}
