package dev.holdfast.cluster.object;

import java.util.List;

/**
 * What a node does for others, whichever shards it owns. Arguments and results travel as those of
 * calls do.
 */
public interface NodeService {

  /** {@return the answer to {@code cluster-status}, as {@link ShardAnswers} writes it} */
  byte[] status();

  /**
   * {@return which nodes keep each shard and which owns it, as {@link ShardAnswers} writes it and
   * this node has heard: clients follow the members by it}
   */
  byte[] members();

  /**
   * Takes a copy of a shard, which its owner adds to the log next. Without effect if the node keeps
   * it.
   *
   * @param shard the number of the shard
   * @param replicas how many copies of each shard the cluster has
   */
  void keep(int shard, int replicas);

  /**
   * Gives a copy of a shard up, and deletes it, unless the log here says something later.
   *
   * @param shard the number of the shard
   * @param index of the entry of the log after which this node does not keep it
   * @param members the nodes that do, and where their logs are: {@code name=host:port}
   */
  void leave(int shard, long index, List<String> members);

  /**
   * Brings the files of a shard's objects forward, which this node is about to take from its owner,
   * so that it has little to redo then. Returns when that is done, or there is nothing to do.
   *
   * @param shard the number of the shard
   */
  void bringForward(int shard);

  /**
   * {@return what this node knows of placement, as {@link ShardAnswers} writes it: which nodes keep
   * each shard, what is agreed, and how this node and the shards are that it owns}
   */
  byte[] placement();

  /**
   * Takes what is agreed about placement.
   *
   * @param agreed as {@link #placement} has it
   */
  void agree(byte[] agreed);

  /**
   * A node was removed from the cluster, and none of the nodes that are there knows its directory:
   * the one that this node has met is refused from now on.
   *
   * @param node its name
   */
  void forget(String node);

  /**
   * Ends what the node adds to the archive of a shard as an earlier owner: it begins to add nothing
   * more.
   *
   * @param shard the number of the shard
   * @param epoch the epoch of the owner that asks
   * @return whether nothing is being added any more
   */
  boolean endAdditions(int shard, long epoch);
}
