package dev.holdfast.cluster;

import dev.holdfast.ObjectRuntime;
import java.time.Duration;
import java.util.List;

/**
 * A node of a cluster: calls reach every object, wherever it is. Thread-safe.
 *
 * <p>Namespaces, recovery and {@link #admin} are those of the whole cluster. Statistics, health,
 * the busiest objects and the size of the history are those of this node and of the shards that it
 * owns now; counters begin again when it takes a shard. Subscriptions and consumers receive the
 * events of the objects while this node owns them; a consumer that runs on every node receives all
 * events, in the order of each shard, and goes on where the last owner was. What is not offered
 * throws {@link dev.holdfast.cluster.errors.ClusterException}: {@link #backup}, an archive, files
 * of objects that another node owns, and forks into another shard.
 *
 * <p>A call waits until its object has an owner, at most {@link ClusterOptions#routeTimeout}. What
 * became of a call whose owner was lost is unknown, and said by {@link
 * dev.holdfast.cluster.errors.ObjectUnavailableException}; no call is ever made twice.
 */
public interface ClusterRuntime extends ObjectRuntime {

  /** {@return the names of all members, this node included} */
  List<String> members();

  /** {@return all shards, in the order of their numbers} */
  List<ShardStatus> shards();

  /**
   * Waits until every shard has an owner that this node knows, and those of this node are open.
   *
   * @param timeout how long to wait
   * @return whether that is so
   * @throws InterruptedException if the thread is interrupted
   */
  boolean awaitReady(Duration timeout) throws InterruptedException;

  /**
   * Gives up the shards of this node, lets their calls end, and leaves the cluster; the other nodes
   * go on. Closing twice has no effect.
   */
  @Override
  void close();
}
