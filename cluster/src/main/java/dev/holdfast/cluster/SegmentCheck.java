package dev.holdfast.cluster;

import dev.holdfast.HoldfastException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.object.ShardOperations;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.status.FetchEvent;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.journal.shard.SealedSegments;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntFunction;

/**
 * Reads the sealed segments of a node's copies again and again, one a minute, and replaces those
 * that are damaged by that of the shard's owner. A shard that this node owns is moved first: the
 * owner's segment would be its own. Thread-safe; one thread checks.
 */
final class SegmentCheck {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** At most 64 MiB are read in this time, so that callers do not notice. */
  private static final long PAUSE_NANOS = 60_000_000_000L;

  private final NodeId self;
  private final NodeShards shards;
  private final IntFunction<ShardOperations> owners;
  private final TimeSource time;
  private final NodeCounters counters;
  private final Executor thread;

  private volatile boolean isClosed;

  // Confined to the thread: where the round is.
  private int shard;
  private long segment;

  /**
   * @param owners gives the operations of a shard, wherever its owner is
   * @param counters counts what is read of owners
   * @param thread one thread, which may block
   */
  SegmentCheck(
      NodeId self,
      NodeShards shards,
      IntFunction<ShardOperations> owners,
      TimeSource time,
      NodeCounters counters,
      Executor thread) {
    this.self = self;
    this.shards = shards;
    this.owners = owners;
    this.time = time;
    this.counters = counters;
    this.thread = thread;
  }

  /** Begins the round. */
  void begin() {
    time.schedule(
        PAUSE_NANOS,
        () -> {
          onThread(this::checkNext);
          if (!isClosed) {
            begin();
          }
        });
  }

  /** Checks all segments of a shard that could not be opened here. */
  void soon(NodeShard damaged) {
    onThread(() -> checkAll(damaged));
  }

  /** Checks nothing any more. */
  void close() {
    isClosed = true;
  }

  private void onThread(Runnable task) {
    try {
      thread.execute(
          () -> {
            try {
              task.run();
            } catch (RuntimeException e) {
              LOG.log(Level.WARNING, "The segments of this node could not be checked.", e);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "The node is closed.", e);
    }
  }

  private void checkNext() {
    List<NodeShard> all = shards.all();
    for (int tried = 0; tried <= all.size() && !isClosed; tried++) {
      NodeShard checked = all.get(shard % all.size());
      SealedSegments sealed = checked.sealed();
      OptionalLong next = sealed == null ? OptionalLong.empty() : sealed.after(segment);
      if (sealed != null && next.isPresent()) {
        segment = next.getAsLong();
        check(checked, sealed, segment);
        return;
      }
      shard = (shard + 1) % all.size();
      segment = 0;
    }
  }

  /**
   * Checks all sealed segments of a shard. Runs on one thread at a time.
   *
   * @return how many were replaced
   */
  int checkAll(NodeShard checked) {
    SealedSegments sealed = checked.sealed();
    int replaced = 0;
    if (sealed == null) {
      return replaced;
    }
    for (OptionalLong each = sealed.after(0);
        each.isPresent() && !isClosed;
        each = sealed.after(each.getAsLong())) {
      if (check(checked, sealed, each.getAsLong())) {
        replaced++;
      }
    }
    checked.checked();
    return replaced;
  }

  /** {@return whether the segment was damaged and is replaced} */
  private boolean check(NodeShard checked, SealedSegments sealed, long first) {
    if (sealed.isSound(first)) {
      return false;
    }
    int number = checked.number();
    try {
      if (checked.isOwned()) {
        checked.moveTo(null).join();
      }
      ShardOperations owner = owners.apply(number);
      sealed.replace(
          first,
          offset -> {
            FetchEvent event = FetchEvent.begun();
            byte[] bytes = owner.segment(first, offset);
            counters.fetched(bytes.length);
            if (event != null) {
              event.end(number, checked.owner(), bytes.length);
            }
            return bytes;
          },
          owner::purgedSegments);
    } catch (HoldfastException | CompletionException | IllegalArgumentException e) {
      LOG.log(
          Level.ERROR,
          "The segment of shard "
              + number
              + " that begins with position "
              + first
              + " is damaged on node "
              + self
              + ", and could not be replaced by the segment of another node. The node tries again;"
              + " check the disk and the other nodes.",
          e);
      return false;
    }
    LOG.log(
        Level.WARNING,
        "The segment of shard "
            + number
            + " that begins with position "
            + first
            + " was damaged on node "
            + self
            + ", and is replaced by the segment of another node. Check the disk.");
    return true;
  }
}
