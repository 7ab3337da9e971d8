package dev.holdfast.cluster;

import dev.holdfast.ObjectRuntime;
import java.time.Duration;
import java.util.List;

/**
 * A client of a cluster: calls reach every object from a process that keeps none, such as a web
 * tier. It has no data directory, no vote, and takes no calls. Thread-safe.
 *
 * <p>It is an {@link ObjectRuntime}, so the same code calls objects here, on a node and on one
 * machine. Namespaces, recovery and {@link #admin} are those of the whole cluster, as on a node.
 * What belongs to a node is empty here: the busiest objects, the size of the history, executions,
 * and all statistics but the calls of {@link dev.holdfast.statistics.RuntimeStatistics#cluster};
 * {@code startAlarms} starts none, because this process runs no object. {@link #subscribe}, {@link
 * #consume} and {@link #backup} throw {@link dev.holdfast.cluster.errors.ClusterException} with
 * {@code UNSUPPORTED}. Members and copies are changed on a node ({@link ClusterRuntime}).
 *
 * <p>Calls, their order, and what a caller hears of a lost owner are as on a node: {@link
 * ClusterRuntime}. A client follows the members of the cluster: it needs the address of one that
 * runs when it is connected.
 */
public interface ClusterClient extends ObjectRuntime {

  /** {@return the names of all members, sorted, as far as this client has heard} */
  List<String> members();

  /**
   * {@return all shards, in the order of their numbers} Only their numbers and owners are known, as
   * far as this client has heard.
   */
  List<ShardStatus> shards();

  /**
   * Waits until every shard has an owner that answers this client.
   *
   * @param timeout how long to wait
   * @return whether that is so
   * @throws InterruptedException if the thread is interrupted
   */
  boolean awaitReady(Duration timeout) throws InterruptedException;

  /**
   * Ends the connections. Calls that wait fail: as {@code NOT_DELIVERED} if they have surely not
   * begun, as {@code UNKNOWN} otherwise. Closing twice has no effect.
   */
  @Override
  void close();
}
