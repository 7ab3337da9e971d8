package dev.holdfast.cluster.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.placement.PlacementStep.AddCopy;
import dev.holdfast.cluster.placement.PlacementStep.MoveOwner;
import dev.holdfast.cluster.placement.PlacementStep.RemoveCopy;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A cluster as far as placement goes: nodes that come and go, and steps that may get lost. */
final class SimulatedPlacement {

  private static final Comparator<NodeId> BY_NAME = Comparator.comparing(NodeId::name);

  /** A node. */
  static final class Node {
    final Map<String, String> labels;
    boolean isUp = true;
    boolean isDraining;
    boolean isLeaving;

    Node(Map<String, String> labels) {
      this.labels = labels;
    }

    NodeUse use() {
      return isLeaving
          ? NodeUse.LEAVING
          : !isUp ? NodeUse.ABSENT : isDraining ? NodeUse.DRAINING : NodeUse.READY;
    }
  }

  /** A shard. */
  static final class Shard {
    final Set<NodeId> copies = new TreeSet<>(BY_NAME);
    final Set<NodeId> behind = new TreeSet<>(BY_NAME);
    long bytes;
    @Nullable NodeId owner;
    @Nullable PlacementStep change;
  }

  final Map<NodeId, Node> nodes = new TreeMap<>(BY_NAME);
  final Map<Integer, Shard> shards = new LinkedHashMap<>();
  int replicas;
  int addedCopies;
  int movedOwners;

  SimulatedPlacement(int replicas) {
    this.replicas = replicas;
  }

  /** A new cluster of nodes without labels. */
  static SimulatedPlacement of(int nodes, int shards, int replicas) {
    SimulatedPlacement cluster = new SimulatedPlacement(replicas);
    for (int node = 0; node < nodes; node++) {
      cluster.join(node, Map.of());
    }
    cluster.place(FirstPlacement.of(cluster.nodes.keySet(), shards, replicas));
    return cluster;
  }

  static NodeId id(int number) {
    return new NodeId(String.format(Locale.ROOT, "n%03d", number));
  }

  NodeId join(int number, Map<String, String> labels) {
    NodeId id = id(number);
    nodes.put(id, new Node(labels));
    return id;
  }

  void place(List<List<NodeId>> copies) {
    for (int number = 0; number < copies.size(); number++) {
      Shard shard = new Shard();
      shard.copies.addAll(copies.get(number));
      shard.owner = copies.get(number).getFirst();
      shard.bytes = number * 7 % 5;
      shards.put(number, shard);
    }
  }

  PlacementView view() {
    List<NodeView> seenNodes = new ArrayList<>();
    nodes.forEach((id, node) -> seenNodes.add(new NodeView(id, node.labels, node.use())));
    List<ShardView> seenShards = new ArrayList<>();
    shards.forEach(
        (number, shard) -> {
          Set<NodeId> behind = new HashSet<>(shard.behind);
          shard.copies.stream().filter(id -> !node(id).isUp).forEach(behind::add);
          seenShards.add(
              new ShardView(
                  number,
                  List.copyOf(shard.copies),
                  shard.owner,
                  shard.change != null,
                  behind,
                  shard.bytes));
        });
    return new PlacementView(replicas, seenNodes, seenShards);
  }

  Node node(NodeId id) {
    return Objects.requireNonNull(nodes.get(id));
  }

  Shard shard(int number) {
    return Objects.requireNonNull(shards.get(number));
  }

  // ---- Steps

  /** Begins a step, or refuses it: the owner compares members and sees which nodes answer. */
  boolean begin(PlacementView view, PlacementStep step) {
    requireAllowed(view, step);
    ShardView seen = seen(view, step);
    Shard shard = shard(step.shard());
    if (shard.change != null
        || shard.owner == null
        || !node(shard.owner).isUp
        || !shard.owner.equals(seen.owner())
        || !shard.copies.equals(new HashSet<>(seen.copies()))
        || !hasMajority(shard, shard.copies)) {
      return false;
    }
    Set<NodeId> after = new HashSet<>(shard.copies);
    boolean isPossible =
        switch (step) {
          case AddCopy(_, NodeId node) -> nodes.containsKey(node) && node(node).isUp;
          case RemoveCopy(_, NodeId node) -> after.remove(node) && hasMajority(shard, after);
          case MoveOwner(_, NodeId to) -> node(to).isUp && !shard.behind.contains(to);
        };
    if (isPossible) {
      shard.change = step;
    }
    return isPossible;
  }

  /** A change that is under way takes effect, if what it needs is still there. */
  void end(Shard shard, boolean isCaughtUp) {
    boolean hadMajority = hasMajority(shard, shard.copies);
    switch (shard.change) {
      case null -> {
        return;
      }
      case AddCopy(_, NodeId node) -> {
        if (hadMajority && nodes.containsKey(node) && node(node).isUp) {
          // The log lets a node vote when it has caught up with the log; its files may come later.
          shard.copies.add(node);
          addedCopies++;
          assertThat(hasMajority(shard, shard.copies)).isTrue();
          if (!isCaughtUp) {
            shard.behind.add(node);
          }
        }
      }
      case RemoveCopy(_, NodeId node) -> {
        Set<NodeId> after = new HashSet<>(shard.copies);
        after.remove(node);
        if (hadMajority && hasMajority(shard, after)) {
          shard.copies.remove(node);
          shard.behind.remove(node);
        }
      }
      case MoveOwner(_, NodeId to) -> {
        if (node(to).isUp && !shard.behind.contains(to)) {
          shard.owner = to;
          movedOwners++;
        }
      }
    }
    shard.change = null;
  }

  private boolean hasMajority(Shard shard, Set<NodeId> copies) {
    long current =
        copies.stream().filter(id -> node(id).isUp && !shard.behind.contains(id)).count();
    return current * 2 > copies.size();
  }

  private static ShardView seen(PlacementView view, PlacementStep step) {
    return view.shards().stream()
        .filter(each -> each.number() == step.shard())
        .findAny()
        .orElseThrow();
  }

  /** The rules of a step, said once more. */
  static void requireAllowed(PlacementView view, PlacementStep step) {
    ShardView shard = seen(view, step);
    Map<NodeId, NodeUse> uses = new HashMap<>();
    view.nodes().forEach(node -> uses.put(node.node(), node.use()));
    long usable = uses.values().stream().filter(use -> use != NodeUse.LEAVING).count();
    List<NodeId> kept =
        shard.copies().stream().filter(id -> uses.get(id) != NodeUse.LEAVING).toList();
    Predicate<NodeId> isCurrent =
        id ->
            !shard.behind().contains(id) && uses.getOrDefault(id, NodeUse.ABSENT) != NodeUse.ABSENT;

    assertThat(shard.isChanging()).as("%s", step).isFalse();
    assertThat(shard.copies().stream().filter(isCurrent))
        .as("%s", step)
        .hasSizeGreaterThan(shard.copies().size() / 2);
    switch (step) {
      case AddCopy(_, NodeId node) -> {
        assertThat(uses.get(node)).isEqualTo(NodeUse.READY);
        assertThat(shard.copies()).doesNotContain(node);
        assertThat(kept).hasSizeLessThanOrEqualTo(view.replicas());
      }
      case RemoveCopy(_, NodeId node) -> {
        List<NodeId> rest = shard.copies().stream().filter(id -> !id.equals(node)).toList();
        assertThat(shard.copies()).contains(node);
        assertThat(node).isNotEqualTo(shard.owner());
        assertThat(uses.get(node)).isIn(NodeUse.READY, NodeUse.LEAVING);
        assertThat(kept.stream().filter(id -> !id.equals(node)))
            .hasSizeGreaterThanOrEqualTo((int) Math.min(view.replicas(), usable))
            .allMatch(isCurrent);
        assertThat(rest.stream().filter(isCurrent)).hasSizeGreaterThan(rest.size() / 2);
      }
      case MoveOwner(_, NodeId to) -> {
        assertThat(to).isNotEqualTo(shard.owner()).isIn(shard.copies()).matches(isCurrent);
        assertThat(uses.get(to)).isEqualTo(NodeUse.READY);
      }
    }
  }

  // ---- What happens by itself

  /** Gives each shard whose owner is down another one, if a majority is there. */
  void elect(RandomGenerator random) {
    for (Shard shard : shards.values()) {
      if (shard.owner == null
          || !shard.copies.contains(shard.owner)
          || !node(shard.owner).isUp
          || shard.behind.contains(shard.owner)) {
        shard.owner = null;
        electAny(shard, random);
      }
    }
  }

  void electAny(Shard shard, RandomGenerator random) {
    List<NodeId> able =
        shard.copies.stream().filter(id -> node(id).isUp && !shard.behind.contains(id)).toList();
    if (hasMajority(shard, shard.copies)) {
      shard.owner = able.get(random.nextInt(able.size()));
    }
  }

  void loseDisk(NodeId id) {
    for (Shard shard : shards.values()) {
      if (shard.copies.contains(id)) {
        shard.behind.add(id);
      }
    }
  }

  /** A copy catches up with the others. Without a majority nothing says what it lacks. */
  void catchUp(Predicate<NodeId> which) {
    for (Shard shard : shards.values()) {
      if (hasMajority(shard, shard.copies)) {
        shard.behind.removeIf(id -> node(id).isUp && which.test(id));
      }
    }
  }

  /** Performs steps one by one until none is left. */
  int settle() {
    int steps = 0;
    for (PlacementView view = view(); ; view = view()) {
      PlacementStep step = PlacementPlanner.next(view).orElse(null);
      if (step == null) {
        return steps;
      }
      assertThat(begin(view, step)).as("%s", step).isTrue();
      end(shard(step.shard()), /* isCaughtUp= */ true);
      assertThat(++steps).isLessThan(20 * replicas * (shards.size() + 10));
    }
  }

  // ---- Counts

  int[] copyCounts(Predicate<Node> which) {
    return counts(which, id -> shards.values().stream().filter(s -> s.copies.contains(id)).count());
  }

  int[] ownerCounts(Predicate<Node> which) {
    return counts(which, id -> shards.values().stream().filter(s -> id.equals(s.owner)).count());
  }

  private int[] counts(Predicate<Node> which, ToLongFunction<NodeId> count) {
    return nodes.keySet().stream()
        .filter(id -> which.test(node(id)))
        .mapToInt(id -> (int) count.applyAsLong(id))
        .toArray();
  }

  static void requireEven(int[] counts) {
    IntSummaryStatistics all = Arrays.stream(counts).summaryStatistics();
    assertThat(all.getMax() - all.getMin()).as("%s", all).isLessThanOrEqualTo(1);
  }
}
