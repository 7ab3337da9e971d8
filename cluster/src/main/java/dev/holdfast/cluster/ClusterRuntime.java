package dev.holdfast.cluster;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.recovery.Backup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A node of a cluster: calls reach every object, wherever it is. Thread-safe.
 *
 * <p>Namespaces, recovery and {@link #admin} are those of the whole cluster. Statistics, health,
 * the busiest objects and the size of the history are those of this node and of the shards that it
 * owns now; counters begin again when it takes a shard, but not those of {@link
 * dev.holdfast.statistics.RuntimeStatistics#cluster}. Subscriptions receive what objects of all
 * nodes publish. Consumers receive the events of the objects while this node owns them; a consumer
 * that runs on every node receives all events, in the order of each shard, and goes on where the
 * last owner was. Lists of objects and {@code migrateAll} go shard after shard. What is not offered
 * throws {@link dev.holdfast.cluster.errors.ClusterException}: forks into another shard, and
 * operations of an application for operators. An object cannot drain or close its node, or change
 * the members: {@link IllegalStateException}.
 *
 * <p>A call waits until its object has an owner, at most {@link ClusterOptions#routeTimeout}. What
 * became of a call whose owner was lost is unknown, and said by {@link
 * dev.holdfast.cluster.errors.ObjectUnavailableException}; no call is ever made twice.
 *
 * <p>The order of calls is that of {@link dev.holdfast.ObjectStub}, with two exceptions for objects
 * of other nodes. A direct call comes after the earlier asynchronous calls of its thread unless the
 * shard changes its owner, or the connection ends, while the last of them is on its way: then it
 * may come before that one. Calls that several executions of one object make have no order.
 */
public interface ClusterRuntime extends ObjectRuntime {

  /**
   * Copies all shards while objects are called: of each, at least everything that was acknowledged
   * before the call. Shards have no moment in common. The copy takes no part in the cluster; {@link
   * ClusterHoldfast#recover} makes a new cluster of one of it. Each backup is made as a whole, and
   * an interrupted one begins again.
   *
   * <p>Blocks until the backup is durable, at most {@link ClusterOptions#copyBytesPerSecond}. Fails
   * if a shard has no owner for {@link ClusterOptions#routeTimeout}, or gives nothing for ten
   * minutes.
   *
   * @param target the directory of the backup, on the machine of this node; missing or empty
   * @return the backup, with the last position of any shard
   * @throws dev.holdfast.errors.BackupException if the target is not empty, or files cannot be read
   *     or written
   * @throws dev.holdfast.cluster.errors.ObjectUnavailableException if the owner of a shard does not
   *     answer
   * @throws dev.holdfast.cluster.errors.ClusterException if the copies of a shard cannot be reached
   * @throws dev.holdfast.errors.JournalFailedException if the owner of a shard gives no files of it
   * @throws dev.holdfast.RuntimeClosedException if the node is closed, also meanwhile
   * @throws IllegalStateException in an object
   */
  @Override
  Backup backup(Path target);

  /** {@return the names of all members, sorted; without this node while it waits to be added} */
  List<String> members();

  /** {@return all shards, in the order of their numbers} */
  List<ShardStatus> shards();

  /**
   * Waits until every shard has an owner that this node knows and that has answered it, those of
   * this node are open, and it was added if it waits for that. Of a shard whose copy on this node
   * has stopped, it is enough that the owner answers.
   *
   * @param timeout how long to wait
   * @return whether that is so
   * @throws InterruptedException if the thread is interrupted
   * @throws dev.holdfast.cluster.errors.ClusterException if the other nodes do not let this one
   *     take part, such as {@code REMOVED}
   */
  boolean awaitReady(Duration timeout) throws InterruptedException;

  /**
   * Moves a shard to another node, from whichever node owns it now. The objects take calls until
   * those that run have ended, {@link dev.holdfast.RuntimeOptions#closeTimeout} at most. Then new
   * calls wait for a few seconds, and the other node takes the shard without an election. Returns
   * when it has.
   *
   * @param shard the number of the shard
   * @param node the name of the member that is to own it; nothing happens if it does already
   * @throws IllegalArgumentException if there is no such shard or member
   * @throws dev.holdfast.cluster.errors.ClusterException with {@link
   *     dev.holdfast.cluster.errors.ClusterException.Reason#NOT_MOVED} if the node keeps no copy of
   *     the shard, or did not take it in time; the owner keeps it, or another node has it
   * @throws dev.holdfast.ObjectException if the shard has no owner in time ({@link
   *     dev.holdfast.cluster.errors.ObjectUnavailableException}), or an object calls this
   * @throws dev.holdfast.RuntimeClosedException if this node is closed
   */
  void transfer(int shard, String node);

  /**
   * Moves all shards of this node to others, one after the other, so that it can be closed without
   * an election. The node stays a member and takes calls for others, but takes no shard again until
   * it is opened again, unless no other node can. Draining twice has no effect.
   *
   * @throws dev.holdfast.cluster.errors.ClusterException with {@link
   *     dev.holdfast.cluster.errors.ClusterException.Reason#NOT_MOVED} if no other node took a
   *     shard in time; this node keeps it
   * @throws dev.holdfast.RuntimeClosedException if this node is closed
   */
  void drain();

  /**
   * Asks the other nodes whether this one can be stopped without an object being away for longer
   * than its shard needs another owner: each shard that it keeps has an owner, and the copies of
   * the other nodes are there, have caught up, and are a majority. Blocks for up to 3 s.
   *
   * <p>In a rolling restart: drain a node and close it, open it again, and wait until this is so on
   * the next node.
   *
   * @return why this node is not to be stopped now, for a person; empty if it may
   * @throws IllegalStateException if an object calls this
   * @throws dev.holdfast.RuntimeClosedException if this node is closed
   */
  Optional<String> whyNotToStop();

  /**
   * Adds a node to the cluster. The node runs with an empty directory and {@link
   * ClusterOptions#node(String, String)}, and waits. It gets a copy of each shard that has too few,
   * or else of one: the log comes without a vote until it has caught up; then a majority of the
   * copies of before and one of those of after it agree. Returns when that is so. The other copies
   * that it is to have come when the cluster is evened, by itself unless that is off.
   *
   * <p>If this fails in between, the node may be a member. Repeat it, with the same directory: what
   * is done already has no effect. For a member whose removal was interrupted, this withdraws the
   * removal.
   *
   * @param member the node, and where it takes calls: {@code name=host:port}
   * @throws IllegalArgumentException if this is malformed
   * @throws dev.holdfast.cluster.errors.ClusterException {@code ALREADY_MEMBER}; {@code
   *     UNREACHABLE} if the node does not run there; {@code NO_MAJORITY} if too few members run;
   *     {@code NOT_CHANGED} if a shard was not changed, or not in time; and whatever keeps the two
   *     nodes from working together, such as {@code CLUSTER_NAME}, {@code CERTIFICATE_REFUSED} and
   *     {@code REMOVED}
   * @throws dev.holdfast.ObjectException if a shard has no owner in time
   * @throws dev.holdfast.RuntimeClosedException if this node is closed
   */
  void add(String member);

  /**
   * Removes another node from the cluster, shard after shard: its shards and its copies are moved
   * to others, as when the cluster is evened. The node may run or be lost for good. If it runs, its
   * copies stop, and its health and {@link #awaitReady} say that it was removed. Its directory is
   * refused from then on.
   *
   * <p>If this fails in between, repeat it: what is done already has no effect.
   *
   * @param node the name of the member
   * @throws IllegalArgumentException if it is no name of a node
   * @throws dev.holdfast.cluster.errors.ClusterException {@code NOT_A_MEMBER}; {@code MEMBER_COUNT}
   *     if fewer than 3 members would be left; {@code NO_MAJORITY} if too few members run; {@code
   *     NOT_CHANGED} if a shard was not changed, or not in time; {@code UNSUPPORTED} if it is this
   *     node
   * @throws dev.holdfast.ObjectException if a shard has no owner in time
   * @throws dev.holdfast.RuntimeClosedException if this node is closed
   */
  void remove(String node);

  /**
   * Lets a node that has lost its directory come back under its name, with an empty one. Its copies
   * are removed from all shards, what is left of the lost directory is refused from then on, and
   * the node is added again when it runs, at the same address or another one; it is waited for, 60
   * s at most. Its options are those that it had.
   *
   * <p>If this fails in between, repeat it: what is done already has no effect.
   *
   * @param member the node, and where it takes calls: {@code name=host:port}
   * @throws IllegalArgumentException if this is malformed
   * @throws dev.holdfast.cluster.errors.ClusterException {@code NOT_CHANGED} if the node runs with
   *     the directory that the cluster knows; {@code NO_MAJORITY} if too few others run; {@code
   *     UNREACHABLE} if it does not run in time: start it, and repeat this
   * @throws dev.holdfast.ObjectException if a shard has no owner in time
   * @throws dev.holdfast.RuntimeClosedException if this node is closed
   */
  void replace(String member);

  /**
   * Moves the shards of this node to others as {@link #drain} does, and leaves the cluster; the
   * other nodes go on. A shard that no other node can take is given up. Closing twice has no
   * effect.
   */
  @Override
  void close();
}
