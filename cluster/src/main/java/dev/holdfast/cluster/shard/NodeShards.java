package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.route.ShardMap;
import java.util.ArrayList;
import java.util.List;

/** The shards of this node, by their numbers. Filled when the node is opened, then unchanged. */
public final class NodeShards {

  private final ShardMap map;
  private final List<NodeShard> shards = new ArrayList<>();

  public NodeShards(ShardMap map) {
    this.map = map;
  }

  public void add(NodeShard shard) {
    shards.add(shard);
  }

  public NodeShard of(ObjectId id) {
    return shards.get(numberOf(id));
  }

  public int numberOf(ObjectId id) {
    return map.shardOf(id);
  }

  public List<NodeShard> all() {
    return shards;
  }
}
