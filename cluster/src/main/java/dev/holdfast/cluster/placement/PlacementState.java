package dev.holdfast.cluster.placement;

import dev.holdfast.spi.log.NodeId;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A view as numbers: nodes in the order of their names, shards with fewest bytes first. Steps take
 * effect in it at once.
 */
final class PlacementState {

  /** No node. */
  static final int NONE = -1;

  /** A rack counts only where zones are equal. */
  private static final int ZONE_WEIGHT = 1_000;

  /** A shard. */
  static final class Shard {
    final int number;
    final long bytes;
    final boolean isChanging;
    final BitSet copies = new BitSet();
    final BitSet behind = new BitSet();
    int owner = NONE;

    private Shard(ShardView view) {
      number = view.number();
      bytes = view.bytes();
      isChanging = view.isChanging();
    }
  }

  final List<NodeId> names;
  final NodeUse[] uses;
  final List<Shard> shards;
  final int[] copyCounts;
  final int[] ownerCounts;

  /** How many copies each shard should have. */
  final int wanted;

  private final int[] zones;
  private final int[] racks;

  PlacementState(PlacementView view) {
    Map<NodeId, NodeView> nodes = new TreeMap<>(Comparator.comparing(NodeId::name));
    for (NodeView node : view.nodes()) {
      nodes.put(node.node(), node);
    }
    for (ShardView shard : view.shards()) {
      for (NodeId node : shard.copies()) {
        nodes.putIfAbsent(node, new NodeView(node, Map.of(), NodeUse.ABSENT));
      }
    }
    names = List.copyOf(nodes.keySet());
    uses = nodes.values().stream().map(NodeView::use).toArray(NodeUse[]::new);
    zones = places(nodes, "zone");
    racks = places(nodes, "zone", "rack");
    copyCounts = new int[names.size()];
    ownerCounts = new int[names.size()];
    wanted = Math.min(view.replicas(), (int) allNodes().filter(n -> !isLeaving(n)).count());
    Map<NodeId, Integer> numbers = new HashMap<>();
    allNodes().forEach(node -> numbers.put(names.get(node), node));
    shards =
        view.shards().stream()
            .sorted(Comparator.comparingLong(ShardView::bytes).thenComparingInt(ShardView::number))
            .map(shard -> toShard(shard, numbers))
            .toList();
  }

  /** Numbers the values of labels. */
  private static int[] places(Map<NodeId, NodeView> nodes, String... labels) {
    Map<List<String>, Integer> numbers = new HashMap<>();
    return nodes.values().stream()
        .map(node -> Stream.of(labels).map(l -> node.labels().getOrDefault(l, "")).toList())
        .mapToInt(place -> numbers.computeIfAbsent(place, _ -> numbers.size()))
        .toArray();
  }

  private Shard toShard(ShardView view, Map<NodeId, Integer> numbers) {
    Shard shard = new Shard(view);
    for (NodeId node : view.copies()) {
      int number = numbers.getOrDefault(node, NONE);
      shard.copies.set(number);
      copyCounts[number]++;
      shard.behind.set(number, view.behind().contains(node));
    }
    shard.owner = view.owner() == null ? NONE : numbers.getOrDefault(view.owner(), NONE);
    if (shard.owner != NONE) {
      ownerCounts[shard.owner]++;
    }
    return shard;
  }

  // ---- Steps

  void add(Shard shard, int node) {
    shard.copies.set(node);
    copyCounts[node]++;
  }

  void remove(Shard shard, int node) {
    shard.copies.clear(node);
    shard.behind.clear(node);
    copyCounts[node]--;
  }

  void moveOwner(Shard shard, int to) {
    ownerCounts[shard.owner]--;
    shard.owner = to;
    ownerCounts[to]++;
  }

  void perform(PlacementStep step) {
    Shard shard =
        shards.stream().filter(each -> each.number == step.shard()).findAny().orElseThrow();
    switch (step) {
      case PlacementStep.AddCopy(_, NodeId node) -> add(shard, names.indexOf(node));
      case PlacementStep.RemoveCopy(_, NodeId node) -> remove(shard, names.indexOf(node));
      case PlacementStep.MoveOwner(_, NodeId to) -> moveOwner(shard, names.indexOf(to));
    }
  }

  // ---- Nodes and copies

  IntStream allNodes() {
    return IntStream.range(0, names.size());
  }

  /** The nodes that may get something, in the order of their names. */
  IntStream readyNodes() {
    return allNodes().filter(this::isReady);
  }

  boolean isReady(int node) {
    return uses[node] == NodeUse.READY;
  }

  boolean isLeaving(int node) {
    return uses[node] == NodeUse.LEAVING;
  }

  /** Whether a copy counts for the majority, and can be the owner's. */
  boolean isCurrent(Shard shard, int node) {
    return uses[node] != NodeUse.ABSENT && !shard.behind.get(node);
  }

  /** The copies that stay, with those of absent nodes. */
  IntStream kept(Shard shard) {
    return shard.copies.stream().filter(node -> !isLeaving(node));
  }

  int keptCount(Shard shard) {
    return count(shard, node -> !isLeaving(node));
  }

  /** The copies that could own the shard instead of its owner. */
  IntStream successors(Shard shard) {
    return shard.copies.stream()
        .filter(node -> node != shard.owner && isReady(node) && isCurrent(shard, node));
  }

  /** The nodes that could get a copy. */
  IntStream newcomers(Shard shard) {
    return readyNodes().filter(node -> !shard.copies.get(node));
  }

  boolean hasLeaving(Shard shard) {
    return first(shard, this::isLeaving) != NONE;
  }

  /** Whether another node should own a shard. */
  boolean mustGiveUp(Shard shard) {
    return shard.owner != NONE && (uses[shard.owner] == NodeUse.DRAINING || isLeaving(shard.owner));
  }

  /** Whether the others could go on without a copy. */
  boolean canRemove(Shard shard, int node) {
    int others = count(shard, n -> n != node && isCurrent(shard, n));
    return obstacleToRemoval(shard) == null && others * 2 > shard.copies.cardinality() - 1;
  }

  /** Whether a copy may be exchanged for another one. */
  boolean isMovable(Shard shard) {
    return keptCount(shard) == wanted && !hasLeaving(shard) && obstacleToRemoval(shard) == null;
  }

  /** {@return for each pair of nodes that nothing moves between them} */
  int[][] noMoves() {
    int[][] via = new int[names.size()][names.size()];
    Arrays.stream(via).forEach(hops -> Arrays.fill(hops, BalancingPath.NONE));
    return via;
  }

  // Streams are too slow here: a plan asks a million times.

  private static int count(Shard shard, IntPredicate which) {
    int count = 0;
    for (int node = shard.copies.nextSetBit(0);
        node >= 0;
        node = shard.copies.nextSetBit(node + 1)) {
      count += which.test(node) ? 1 : 0;
    }
    return count;
  }

  private static int first(Shard shard, IntPredicate which) {
    for (int node = shard.copies.nextSetBit(0);
        node >= 0;
        node = shard.copies.nextSetBit(node + 1)) {
      if (which.test(node)) {
        return node;
      }
    }
    return NONE;
  }

  // ---- Labels

  /** {@return where the copies of a shard are that stay, without one of them, or {@link #NONE}} */
  Spread spread(Shard shard, int removed) {
    BitSet inZones = new BitSet();
    BitSet inRacks = new BitSet();
    for (int node = shard.copies.nextSetBit(0);
        node >= 0;
        node = shard.copies.nextSetBit(node + 1)) {
      if (node != removed && !isLeaving(node)) {
        inZones.set(zones[node]);
        inRacks.set(racks[node]);
      }
    }
    return new Spread(inZones, inRacks);
  }

  /** How far apart copies are. */
  final class Spread {
    private final BitSet inZones;
    private final BitSet inRacks;
    private final int size;

    private Spread(BitSet inZones, BitSet inRacks) {
      this.inZones = inZones;
      this.inRacks = inRacks;
      size = inZones.cardinality() * ZONE_WEIGHT + inRacks.cardinality();
    }

    /** {@return more for more zones, then for more racks} */
    int size() {
      return size;
    }

    /** {@return the size with one more copy} */
    int sizeWith(int node) {
      return size
          + (inZones.get(zones[node]) ? 0 : ZONE_WEIGHT)
          + (inRacks.get(racks[node]) ? 0 : 1);
    }
  }

  // ---- Why a shard has to wait

  /** Why the owner of a shard cannot change, or null if it can. */
  @Nullable String obstacle(Shard shard) {
    if (shard.isChanging) {
      return "a change of it is under way";
    }
    if (shard.owner == NONE || !isCurrent(shard, shard.owner)) {
      return "it has no owner that answers";
    }
    if (count(shard, node -> isCurrent(shard, node)) * 2 <= shard.copies.cardinality()) {
      return "no majority of its copies answers and has caught up";
    }
    return null;
  }

  /** Why a shard cannot get a copy, or null if it can. */
  @Nullable String obstacleToAddition(Shard shard) {
    String obstacle = obstacle(shard);
    int late = first(shard, node -> isLate(shard, node));
    return obstacle != null || late == NONE
        ? obstacle
        : "its copy on node " + names.get(late) + " has not caught up";
  }

  /** Why a shard cannot give a copy up, or null if it can. */
  @Nullable String obstacleToRemoval(Shard shard) {
    String obstacle = obstacleToAddition(shard);
    int absent = first(shard, node -> uses[node] == NodeUse.ABSENT);
    return obstacle != null || absent == NONE
        ? obstacle
        : "node " + names.get(absent) + ", which has a copy of it, does not answer";
  }

  /** Why no copy moves for evenness, or null: one copy of the cluster moves at a time. */
  @Nullable String obstacleToEvening() {
    for (Shard shard : shards) {
      String obstacle =
          shard.isChanging || first(shard, node -> isLate(shard, node)) != NONE
              ? obstacleToAddition(shard)
              : keptCount(shard) > wanted ? "it has a copy too many" : null;
      if (obstacle != null) {
        return "shard " + shard.number + " comes first: " + obstacle;
      }
    }
    return null;
  }

  /** Whether a copy that stays and answers has not caught up. */
  private boolean isLate(Shard shard, int node) {
    return shard.behind.get(node) && !isLeaving(node) && uses[node] != NodeUse.ABSENT;
  }
}
