package dev.holdfast.cluster;

import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.member.Acquaintance;
import dev.holdfast.cluster.shard.NodeArchive;
import dev.holdfast.cluster.shard.NodeShard;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.OpenShards;
import dev.holdfast.cluster.shard.OwnedShard;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.status.NodeWatch;
import dev.holdfast.cluster.status.ShardHealth;
import dev.holdfast.cluster.status.ShardLoads;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthOptions;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.statistics.ClusterStatistics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** How a node is: its machine, its connections and its shards. Thread-safe. */
final class NodeHealth {

  private final NodeShards shards;
  private final OpenShards open;
  private final CallEndpoint endpoint;
  private final Acquaintance acquaintance;
  private final NodeWatch watch;
  private final NodeArchive archives;
  private final ShardLoads loads;
  private final HealthOptions limits;

  NodeHealth(
      NodeShards shards,
      OpenShards open,
      CallEndpoint endpoint,
      Acquaintance acquaintance,
      NodeWatch watch,
      NodeArchive archives,
      ShardLoads loads,
      HealthOptions limits) {
    this.shards = shards;
    this.open = open;
    this.endpoint = endpoint;
    this.acquaintance = acquaintance;
    this.watch = watch;
    this.archives = archives;
    this.loads = loads;
    this.limits = limits;
  }

  /** {@return how the node is} */
  Health health(boolean isClosed) {
    List<HealthReason> reasons = new ArrayList<>();
    if (isClosed) {
      reasons.add(
          new HealthReason(
              HealthReason.RUNTIME_CLOSED, HealthState.DOWN, "The node is closed; open it again."));
    }
    reasons.addAll(acquaintance.reasons());
    reasons.addAll(ownReasons());
    List<ShardHealth> read = read(shards); // once: what was overdue may have an owner by now
    Set<Integer> overdue = watch.overdue(ownerless(read, acquaintance));
    read.stream()
        .map(shard -> shard.reason(overdue.contains(shard.number())))
        .flatMap(Optional::stream)
        .forEach(reasons::add);
    // Not of a runtime whose shard was lost and that is not closed yet: another node answers.
    Map<Integer, ShardLoads.Owned> owned = new TreeMap<>();
    for (NodeShard each : shards.all()) {
      OwnedShard here = each.openObjects();
      if (here != null) {
        owned.put(each.number(), new ShardLoads.Owned(here.journal().epoch(), here.runtime()));
      }
    }
    reasons.addAll(archives.troubles());
    owned.values().forEach(each -> reasons.addAll(each.runtime().health().reasons()));
    reasons.addAll(loads.reasons(owned));
    return Health.of(reasons);
  }

  /** {@return what this node counts} */
  ClusterStatistics numbers(NodeCounters counters) {
    Map<String, Long> clocks = new HashMap<>();
    endpoint.clocksAheadMillis().forEach((node, ahead) -> clocks.put(node.name(), ahead));
    return counters.snapshot(
        shards.all().stream().mapToLong(shard -> shard.report().lagEntries()).max().orElse(0),
        shards.all().stream().mapToLong(shard -> shard.report().lagBytes()).sum(),
        clocks,
        watch.diskUsableBytes());
  }

  /** {@return what is wrong with the machine of this node, and its connections} */
  private List<HealthReason> ownReasons() {
    List<HealthReason> reasons = new ArrayList<>();
    shards.all().stream()
        .map(shard -> shard.report().unfed(endpoint::isConnectedTo))
        .flatMap(Optional::stream)
        .forEach(reasons::add);
    watch
        .certificateProblem()
        .ifPresent(
            why ->
                reasons.add(new HealthReason(HealthReason.CERTIFICATE, HealthState.DEGRADED, why)));
    long usable = watch.diskUsableBytes();
    // The runtime of a shard that this node owns says it, too.
    if (open.runtimes().isEmpty() && usable >= 0 && usable < limits.diskFreeBytesMin()) {
      reasons.add(
          new HealthReason(
              HealthReason.DISK_NEARLY_FULL,
              HealthState.DEGRADED,
              "The disk of this node has "
                  + usable
                  + " bytes left. Make room; a full disk stops its copies of the shards."));
    }
    return reasons;
  }

  /**
   * {@return the shards without an owner} A node that waits to be added, or that the others refuse,
   * has other reasons.
   */
  static List<Integer> ownerless(NodeShards shards, Acquaintance acquaintance) {
    return ownerless(read(shards), acquaintance);
  }

  private static List<Integer> ownerless(List<ShardHealth> read, Acquaintance acquaintance) {
    return acquaintance.isOutside()
        ? List.of()
        : read.stream().filter(ShardHealth::lacksOwner).map(ShardHealth::number).toList();
  }

  private static List<ShardHealth> read(NodeShards shards) {
    return shards.all().stream().map(shard -> shard.report().health()).toList();
  }
}
