package dev.holdfast.cluster.shard;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.catchup.Rounds;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.member.ShardMembers;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.spi.log.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

/**
 * What the shards of a node share.
 *
 * @param self the node
 * @param times its clocks and time-outs
 * @param threads its threads
 * @param table the owner of each shard, as far as this node knows
 * @param open the shards that are open on the node
 * @param damaged called when another node has taken a shard that this one could not open because a
 *     segment is damaged
 * @param book records which nodes keep the shard
 * @param peers finds the nodes that are added
 * @param copies of the shards on other nodes
 * @param rounds when the files of a shard that another node owns are brought forward
 * @param counters those of the node
 */
public record NodeParts(
    NodeId self,
    Times times,
    Threads threads,
    RoutingTable table,
    OpenShards open,
    Consumer<NodeShard> damaged,
    MemberBook book,
    ShardMembers.Peers peers,
    Copies copies,
    Rounds.Limits rounds,
    NodeCounters counters) {

  /**
   * Clocks and time-outs.
   *
   * @param node the time of the node
   * @param objects the time of objects and of their journal
   * @param lease how long this node may reply without a proof as an owner; zero if it never does
   * @param retryNanos after how long a claim without effect is repeated
   */
  public record Times(TimeSource node, TimeSource objects, Duration lease, long retryNanos) {}

  /**
   * Threads that all shards share.
   *
   * @param saver makes copies durable
   * @param proposer proposes what threads wait for that must not
   * @param notifier calls listeners
   */
  public record Threads(ExecutorService saver, ExecutorService proposer, ExecutorService notifier) {

    private static final long IDLE_SECONDS = 10;

    /** {@return a thread of a shard; it ends when it has nothing to do, as in most shards} */
    static ExecutorService ofShard(int number) {
      ThreadPoolExecutor thread =
          new ThreadPoolExecutor(
              1,
              1,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              Thread.ofPlatform().daemon().name("holdfast-shard-" + number).factory());
      thread.allowCoreThreadTimeOut(true);
      return thread;
    }
  }

  /**
   * The copies of a shard on other nodes.
   *
   * @param others gives them
   * @param purged asks them what they have purged
   * @param damagedSource is notified of a shard whose copy on another node gave a damaged segment
   */
  public record Copies(
      IntFunction<ReplicaSource> others, Purged purged, IntConsumer damagedSource) {}

  /** Asks the copies of a shard what they have purged. */
  @FunctionalInterface
  public interface Purged {

    /**
     * Asks them. Returns at once.
     *
     * @param shard the number of the shard
     * @param nodes those that have the copies
     * @param answer receives what they say
     */
    void ask(int shard, Collection<NodeId> nodes, ShardHost.PurgedAnswer answer);
  }
}
