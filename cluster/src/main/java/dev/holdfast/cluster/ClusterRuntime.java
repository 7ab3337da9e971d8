package dev.holdfast.cluster;

import dev.holdfast.ObjectNamespace;
import java.time.Duration;
import java.util.List;

/**
 * A node of a cluster: calls reach every object, wherever it is. Thread-safe.
 *
 * <p>A call waits until its object has an owner, at most {@link ClusterOptions#routeTimeout}. What
 * became of a call whose owner was lost is unknown, and said by {@link
 * dev.holdfast.cluster.errors.ObjectUnavailableException}; no call is ever made twice.
 */
public interface ClusterRuntime extends AutoCloseable {

  /**
   * Returns a namespace. Stubs, time-outs, headers and asynchronous calls are as on one machine;
   * asynchronous calls of one thread to one object of another node wait for each other's results.
   * Listing and the alarms of a namespace are refused.
   *
   * @param <T> the interface of its objects
   * @param name its name
   * @param type the interface it was registered with
   * @return the namespace
   * @throws dev.holdfast.errors.NamespaceException if no namespace has this name, or it has another
   *     type
   */
  <T> ObjectNamespace<T> namespace(String name, Class<T> type);

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
