package dev.holdfast.log.ratis;

import dev.holdfast.spi.log.Replica;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.apache.ratis.server.protocol.TermIndex;
import org.jspecify.annotations.Nullable;

/** Brings the replica of a log forward with what other nodes have. Thread-safe. */
final class ReplicaFetch {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final int shard;
  private final Target target;
  private final Executor later;

  /**
   * What is brought forward.
   *
   * @param calls the replica
   * @param files state how far
   * @param compaction of the log
   * @param stopped is notified when the replica cannot go on
   */
  record Target(
      ReplicaCalls calls,
      LogFiles files,
      Compaction compaction,
      BiConsumer<String, @Nullable Throwable> stopped) {}

  /**
   * @param later runs what is to be tried again, after a while
   */
  ReplicaFetch(int shard, Target target, Executor later) {
    this.shard = shard;
    this.target = target;
    this.later = later;
  }

  /**
   * Fetches what the replica lacks, on a thread that ends with it.
   *
   * @param first the first entry that the leader has
   * @return the entry that the replica has then; null if it takes the log from its start; a failure
   *     if that is to be tried again. Not completed if the log stops
   */
  CompletableFuture<@Nullable TermIndex> fetch(long first) {
    CompletableFuture<@Nullable TermIndex> done = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("holdfast-log-fetch-" + shard)
        .start(() -> fetch(first, done));
    return done;
  }

  private void fetch(long first, CompletableFuture<@Nullable TermIndex> done) {
    try {
      Replica replica = target.calls().replica();
      Replica.Fetched fetched = replica == null ? null : replica.fetch(first - 1);
      if (fetched == null && first <= RatisLog.FIRST_OF_REPLICAS) {
        done.complete(null); // the log has all that there is
        return;
      }
      if (fetched == null) {
        target
            .stopped()
            .accept(
                "This node was away for so long that the others have dropped entries that it does"
                    + " not have (their log begins at "
                    + first
                    + "). Remove it from the shard and add it again",
                null);
        return;
      }
      TermIndex place = installed(fetched);
      if (place != null) {
        LOG.log(
            Level.INFO,
            "The copy of shard {0} goes on after entry {1}, with segments of another node.",
            shard,
            place.getIndex());
        done.complete(place);
      }
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(
          Level.WARNING,
          () ->
              "The copy of shard "
                  + shard
                  + " lacks entries that the others have dropped, and could not fetch them now;"
                  + " it is tried again.",
          e);
      later.execute(() -> done.completeExceptionally(e));
    }
  }

  /** {@return the entry that the replica has now; null if the log was closed, or has stopped} */
  private @Nullable TermIndex installed(Replica.Fetched fetched) throws IOException {
    TermIndex place = TermIndex.valueOf(fetched.place().term(), fetched.place().index());
    boolean isInstalled =
        target
            .calls()
            .<IOException>install(
                place.getIndex(),
                () -> {
                  // First: the replica is then ahead of its log, which would be refused as one that
                  // is lost.
                  target.files().fetched(place);
                  return target.compaction().bringForward(place, fetched::install, this::failed);
                });
    return isInstalled ? place : null;
  }

  private void failed(Throwable failure) {
    target
        .stopped()
        .accept(
            "The replica cannot be brought forward. Open the shard here again once the reason is"
                + " gone; the other nodes go on",
            failure);
  }
}
