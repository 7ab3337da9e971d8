package dev.holdfast.cluster;

import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthReason;
import dev.holdfast.statistics.ClusterStatistics;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The answer to {@code cluster-status}. Stateless. */
final class NodeStatus {

  private NodeStatus() {}

  static Map<String, @Nullable Object> of(ClusterNode node) {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("cluster", node.options().cluster());
    answer.put("node", node.options().self().name());
    answer.put("members", node.members());
    Health health = node.health();
    answer.put("health", health.state().name());
    answer.put("reasons", health.reasons().stream().map(NodeStatus::map).toList());
    answer.put(
        "shards",
        node.shards().stream()
            .map(
                each -> {
                  NodeShard shard = node.shard(each.shard());
                  return map(each, shard.isMoving() || shard.isMoveUnderWay());
                })
            .toList());
    answer.put("balancing", node.balancer().state(node.options().balancing()));
    ClusterStatistics numbers = node.statistics().cluster();
    answer.put("clockAheadMillis", new TreeMap<>(numbers.clockAheadMillis()));
    answer.put("diskUsableBytes", numbers.diskUsableBytes());
    return answer;
  }

  private static Map<String, @Nullable Object> map(HealthReason reason) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("code", reason.code());
    members.put("state", reason.state().name());
    members.put("text", reason.text());
    return members;
  }

  private static Map<String, @Nullable Object> map(ShardStatus shard, boolean isMoving) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("shard", shard.shard());
    members.put("owner", shard.owner());
    members.put("copies", shard.copies());
    members.put("epoch", shard.epoch());
    members.put("lag", shard.lag());
    Instant since = shard.restorableSince();
    members.put("restorableSince", since == null ? null : since.toString());
    members.put("lastPosition", shard.lastPosition());
    members.put("openHere", shard.isOpenHere());
    members.put("moving", isMoving);
    members.put("failure", shard.failure());
    members.put("catchingUp", shard.isCatchingUp());
    members.put("agreedVersion", shard.agreedVersion());
    return members;
  }
}
