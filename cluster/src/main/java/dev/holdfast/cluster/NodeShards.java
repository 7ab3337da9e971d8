package dev.holdfast.cluster;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.route.ShardMap;
import java.util.ArrayList;
import java.util.List;

/** The shards of this node, by their numbers. Filled when the node is opened, then unchanged. */
final class NodeShards {

  private final ShardMap map;
  private final List<NodeShard> shards = new ArrayList<>();

  NodeShards(ShardMap map) {
    this.map = map;
  }

  void add(NodeShard shard) {
    shards.add(shard);
  }

  NodeShard of(ObjectId id) {
    return shards.get(numberOf(id));
  }

  int numberOf(ObjectId id) {
    return map.shardOf(id);
  }

  List<NodeShard> all() {
    return shards;
  }
}
