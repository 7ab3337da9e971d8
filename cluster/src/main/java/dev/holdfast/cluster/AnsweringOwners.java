package dev.holdfast.cluster;

import dev.holdfast.cluster.object.ClusterOperations;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Asks the owners of shards of which there is no copy here until each has answered. Confined to one
 * thread.
 */
final class AnsweringOwners {

  private final ClusterOperations operations;
  private final Executor work;
  private final Map<Integer, CompletableFuture<?>> asked = new HashMap<>();

  AnsweringOwners(ClusterOperations operations, Executor work) {
    this.operations = operations;
    this.work = work;
  }

  /** {@return whether the owner of a shard has answered; false has it asked} Does not block. */
  boolean answers(int shard) {
    CompletableFuture<?> last = asked.get(shard);
    if (last == null || last.isCompletedExceptionally()) {
      asked.put(
          shard, CompletableFuture.supplyAsync(() -> operations.of(shard).memberNames(), work));
      return false;
    }
    return last.isDone();
  }
}
