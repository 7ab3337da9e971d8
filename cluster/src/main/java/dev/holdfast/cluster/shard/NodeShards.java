package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.spi.log.NodeId;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The shards of the cluster as this node sees them, by their numbers. Thread-safe. */
public final class NodeShards {

  private final ShardMap map;
  private final List<NodeShard> shards = new CopyOnWriteArrayList<>();

  /**
   * Creates it without copies of shards.
   *
   * @param map the shard of each object
   * @param self this node
   * @param table the owner of each shard, as far as this node knows
   */
  public NodeShards(ShardMap map, NodeId self, RoutingTable table) {
    this.map = map;
    for (int shard = 0; shard < map.shardCount(); shard++) {
      shards.add(new AwayShard(shard, self, table));
    }
  }

  /**
   * Sees a shard in another way from now on: this node has taken a copy, or has given it up.
   *
   * @param shard the shard
   */
  public void set(NodeShard shard) {
    shards.set(shard.number(), shard);
  }

  /**
   * Finds the shard that an object is in.
   *
   * @param id the object
   * @return the shard, whether this node owns it or not
   */
  public NodeShard of(ObjectId id) {
    return shards.get(map.shardOf(id));
  }

  /**
   * Finds a shard.
   *
   * @param number its number, from 0
   * @return the shard
   */
  public NodeShard get(int number) {
    return shards.get(number);
  }

  /** {@return the shards, in the order of their numbers} */
  public List<NodeShard> all() {
    return Collections.unmodifiableList(shards);
  }

  /** {@return those that this node keeps} */
  public List<KeptShard> kept() {
    return shards.stream().filter(KeptShard.class::isInstance).map(KeptShard.class::cast).toList();
  }
}
