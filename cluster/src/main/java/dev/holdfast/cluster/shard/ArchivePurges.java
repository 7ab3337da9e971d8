package dev.holdfast.cluster.shard;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * The purges of the archive of a shard that were asked for in one ownership. Thread-safe.
 *
 * @see dev.holdfast.cluster.object.ShardOperations#purgeArchive
 */
public final class ArchivePurges {

  private final Supplier<CompletableFuture<Long>> purge;
  private final Map<Long, CompletableFuture<Long>> begun = new HashMap<>(); // guarded by this

  /**
   * Begins without any.
   *
   * @param purge begins one; completes with the first position that the archive has then
   */
  public ArchivePurges(Supplier<CompletableFuture<Long>> purge) {
    this.purge = purge;
  }

  /**
   * Says whether a purge has ended, and begins it if it was not asked for before. What has ended is
   * forgotten.
   *
   * @param number names the purge
   * @return the first position that the archive has; 0 while it is being purged
   * @throws RuntimeException why it has failed
   */
  public synchronized long ended(long number) {
    CompletableFuture<Long> asked = begun.computeIfAbsent(number, _ -> purge.get());
    if (!asked.isDone()) {
      return 0;
    }
    begun.remove(number);
    try {
      return asked.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
