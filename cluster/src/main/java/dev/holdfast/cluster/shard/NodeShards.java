package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.route.ShardMap;
import java.util.ArrayList;
import java.util.List;

/** The shards of this node, by their numbers. Filled when the node is opened, then unchanged. */
public final class NodeShards {

  private final ShardMap map;
  private final List<NodeShard> shards = new ArrayList<>();

  /**
   * Creates it without shards.
   *
   * @param map the shard of each object
   */
  public NodeShards(ShardMap map) {
    this.map = map;
  }

  /**
   * Adds the next shard. Only while the node is opened, by one thread.
   *
   * @param shard the shard whose number is the number of shards so far
   */
  public void add(NodeShard shard) {
    shards.add(shard);
  }

  /**
   * Finds the shard that an object is in.
   *
   * @param id the object
   * @return the shard, whether this node owns it or not
   */
  public NodeShard of(ObjectId id) {
    return shards.get(numberOf(id));
  }

  /**
   * Finds the number of the shard that an object is in.
   *
   * @param id the object
   * @return the number, from 0
   */
  public int numberOf(ObjectId id) {
    return map.shardOf(id);
  }

  /** {@return the shards, in the order of their numbers} */
  public List<NodeShard> all() {
    return shards;
  }
}
