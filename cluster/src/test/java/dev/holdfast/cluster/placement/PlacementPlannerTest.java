package dev.holdfast.cluster.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.placement.PlacementStep.AddCopy;
import dev.holdfast.cluster.placement.PlacementStep.MoveOwner;
import dev.holdfast.cluster.placement.PlacementStep.RemoveCopy;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class PlacementPlannerTest {

  // ---- Single steps

  @Example
  void ownerLeavesADrainingNodeFirst() {
    SimulatedPlacement cluster = SimulatedPlacement.of(3, 6, 3);
    NodeId drained = SimulatedPlacement.id(0);
    cluster.node(drained).isDraining = true;

    assertThat(PlacementPlanner.plan(cluster.view()))
        .hasSize(2)
        .allMatch(MoveOwner.class::isInstance);
    cluster.settle();
    assertThat(cluster.ownerCounts(_ -> true)).containsExactly(0, 3, 3);
    assertThat(cluster.copyCounts(_ -> true)).containsExactly(6, 6, 6);
  }

  @Example
  void copyOfALeavingNodeIsReplacedBeforeItIsRemoved() {
    SimulatedPlacement cluster = SimulatedPlacement.of(4, 1, 3);
    NodeId gone = SimulatedPlacement.id(2);
    cluster.node(gone).isLeaving = true;
    cluster.node(gone).isUp = false;

    assertThat(PlacementPlanner.plan(cluster.view()))
        .containsExactly(new AddCopy(0, SimulatedPlacement.id(3)), new RemoveCopy(0, gone));
  }

  @Example
  void leavingOwnerGivesItsShardUpBeforeItsCopy() {
    SimulatedPlacement cluster = SimulatedPlacement.of(4, 1, 3);
    NodeId leaving = SimulatedPlacement.id(0);
    cluster.node(leaving).isLeaving = true;

    assertThat(PlacementPlanner.plan(cluster.view()))
        .containsExactly(
            new MoveOwner(0, SimulatedPlacement.id(1)),
            new AddCopy(0, SimulatedPlacement.id(3)),
            new RemoveCopy(0, leaving));
  }

  @Example
  void nothingIsRemovedWhileACopyIsBehindOrAbsent() {
    SimulatedPlacement cluster = SimulatedPlacement.of(4, 1, 3);
    NodeId leaving = SimulatedPlacement.id(0);
    cluster.node(leaving).isLeaving = true;
    cluster.shard(0).owner = SimulatedPlacement.id(1);
    cluster.shard(0).copies.add(SimulatedPlacement.id(3));
    cluster.shard(0).behind.add(SimulatedPlacement.id(3));

    assertThat(PlacementPlanner.next(cluster.view())).isEmpty();
    assertThat(PlacementPlanner.reasons(cluster.view()))
        .containsExactly(
            "Shard 0 is still on a node that leaves: its copy on node n003 has not caught up.");

    cluster.shard(0).behind.clear();
    cluster.node(SimulatedPlacement.id(2)).isUp = false;
    assertThat(PlacementPlanner.next(cluster.view())).isEmpty();
    assertThat(PlacementPlanner.reasons(cluster.view()))
        .containsExactly(
            "Shard 0 is still on a node that leaves: node n002, which has a copy of it, does not"
                + " answer.");

    cluster.node(SimulatedPlacement.id(2)).isUp = true;
    assertThat(PlacementPlanner.next(cluster.view())).contains(new RemoveCopy(0, leaving));
  }

  @Example
  void absentNodeKeepsWhatItHas() {
    SimulatedPlacement cluster = SimulatedPlacement.of(6, 12, 3);
    NodeId absent = SimulatedPlacement.id(0);
    cluster.node(absent).isUp = false;
    cluster.elect(new Random(1));

    for (PlacementStep step : PlacementPlanner.plan(cluster.view())) {
      assertThat(step).isInstanceOf(MoveOwner.class);
    }
  }

  @Example
  void shardThatChangesOrHasNoOwnerHasToWait() {
    SimulatedPlacement cluster = SimulatedPlacement.of(3, 2, 3);
    cluster.join(3, Map.of());
    cluster.node(SimulatedPlacement.id(0)).isLeaving = true;
    cluster.shard(0).owner = SimulatedPlacement.id(0);
    cluster.shard(0).change = new MoveOwner(0, SimulatedPlacement.id(1));
    cluster.shard(1).owner = null;

    assertThat(PlacementPlanner.plan(cluster.view())).isEmpty();
    assertThat(PlacementPlanner.reasons(cluster.view()))
        .containsExactly(
            "Shard 0 stays owned by node n000: a change of it is under way.",
            "Shard 0 has 2 of 3 copies: a change of it is under way.",
            "Shard 1 has 2 of 3 copies: it has no owner that answers.",
            "Copies are uneven, node n001 has 2 and node n003 has 0: shard 0 comes first: a change"
                + " of it is under way.");
  }

  @Example
  void shardWithFewestBytesMoves() {
    SimulatedPlacement cluster = SimulatedPlacement.of(3, 8, 3);
    cluster.join(3, Map.of());
    cluster.shards.values().forEach(shard -> shard.bytes = 100);
    cluster.shard(5).bytes = 10;

    assertThat(PlacementPlanner.next(cluster.view()))
        .contains(new AddCopy(5, SimulatedPlacement.id(3)));
  }

  @Example
  void ownersAreEvenedByAChainWhereNoSingleMoveIsPossible() {
    SimulatedPlacement cluster = new SimulatedPlacement(2);
    IntStream.range(0, 3).forEach(node -> cluster.join(node, Map.of()));
    // n000 owns three, n002 one, and only n001 with two can take over from the first.
    place(cluster, "01", "01", "01", "12", "12", "20");
    // No copy moves meanwhile.
    cluster.shard(5).change = new AddCopy(5, SimulatedPlacement.id(1));

    assertThat(PlacementPlanner.plan(cluster.view()))
        .containsExactly(
            new MoveOwner(3, SimulatedPlacement.id(2)), new MoveOwner(0, SimulatedPlacement.id(1)));
  }

  private static void place(SimulatedPlacement cluster, String... shards) {
    cluster.place(
        Arrays.stream(shards)
            .map(s -> s.chars().mapToObj(c -> SimulatedPlacement.id(c - '0')).toList())
            .toList());
  }

  @Example
  void ownersThatCannotBeEvenedAreExplained() {
    SimulatedPlacement cluster = new SimulatedPlacement(1);
    IntStream.range(0, 2).forEach(node -> cluster.join(node, Map.of()));
    place(cluster, "0", "0", "1");
    assertThat(PlacementPlanner.reasons(cluster.view())).isEmpty();

    cluster.node(SimulatedPlacement.id(0)).isDraining = true;
    assertThat(PlacementPlanner.reasons(cluster.view()))
        .containsExactly(
            "Shard 0 stays owned by node n000: no other node has a copy that may own it.",
            "Shard 1 stays owned by node n000: no other node has a copy that may own it.");
  }

  @Example
  void copiesThatHaveToWaitAreExplained() {
    SimulatedPlacement cluster = SimulatedPlacement.of(3, 8, 3);
    cluster.join(3, Map.of());
    cluster.shard(7).behind.add(cluster.shard(7).copies.iterator().next());
    cluster.shard(7).owner = null;
    cluster.elect(new Random(1));
    cluster.settle();

    assertThat(PlacementPlanner.reasons(cluster.view()))
        .containsExactly(
            "Copies are uneven, node n000 has 8 and node n003 has 0: shard 7 comes first: its copy"
                + " on node n000 has not caught up.",
            "Owners are uneven, node n001 has 3 and node n003 has 0: no node with fewer has a copy"
                + " that could take over.");
  }

  @Example
  void shardHasAtLeastOneCopy() {
    assertThatThrownBy(() -> new PlacementView(0, List.of(), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(PlacementPlanner.plan(new PlacementView(3, List.of(), List.of()))).isEmpty();
  }

  // ---- Moves end, and are few

  /** Any view whatever: each step is allowed, and makes the measure smaller. */
  @Property(tries = 200)
  void everyStepIsAllowedAndMakesTheMeasureSmaller(@ForAll long seed) {
    PlacementView view = anyView(new Random(seed));
    PlacementState state = new PlacementState(view);
    List<PlacementStep> plan = PlacementPlanner.plan(view);

    assertThat(PlacementPlanner.next(view)).isEqualTo(plan.stream().findFirst());
    long[] before = measure(state);
    for (PlacementStep step : plan) {
      SimulatedPlacement.requireAllowed(view, step);
      state.perform(step);
      view = after(view, step);
      long[] after = measure(state);
      assertThat(Arrays.compare(after, before))
          .as("%s %s %s", step, Arrays.toString(before), Arrays.toString(after))
          .isNegative();
      assertThat(measure(new PlacementState(view))).isEqualTo(after);
      before = after;
    }
    assertThat(PlacementPlanner.reasons(view)).allMatch(reason -> reason.endsWith("."));
  }

  @Property(tries = 100)
  void orderOfNodesAndShardsDoesNotMatter(@ForAll long seed) {
    Random random = new Random(seed);
    PlacementView view = anyView(random);
    List<NodeView> nodes = new ArrayList<>(view.nodes());
    List<ShardView> shards = new ArrayList<>(view.shards());
    Collections.shuffle(nodes, random);
    Collections.shuffle(shards, random);

    assertThat(PlacementPlanner.plan(new PlacementView(view.replicas(), nodes, shards)))
        .isEqualTo(PlacementPlanner.plan(view));
  }

  /**
   * What is left to do, most important first. A copy too many counts as removed, because the
   * planner finds the same one again.
   */
  private static long[] measure(PlacementState state) {
    long missing = 0;
    long leaving = 0;
    long extra = 0;
    long forced = 0;
    long ownedExtra = 0;
    List<Integer> removed = new ArrayList<>();
    for (PlacementState.Shard shard : state.shards) {
      missing += Math.max(0, state.wanted - state.keptCount(shard));
      leaving += shard.copies.stream().filter(state::isLeaving).count();
      extra += Math.max(0, state.keptCount(shard) - state.wanted);
      forced += state.mustGiveUp(shard) ? 1 : 0;
    }
    for (int item = 0; item < state.shards.size(); item++) {
      PlacementState.Shard shard = state.shards.get(item);
      while (state.keptCount(shard) > state.wanted) {
        int node = PlacementPlanner.extra(state, shard);
        if (node == PlacementState.NONE) {
          break;
        }
        ownedExtra = removed.isEmpty() && node == shard.owner ? 1 : ownedExtra;
        state.remove(shard, node);
        removed.add(item);
        removed.add(node);
      }
    }
    long apart =
        state.shards.stream().mapToInt(s -> state.spread(s, PlacementState.NONE).size()).sum();
    long copies = squares(state, state.copyCounts);
    BalancingPath path = CopyMoves.of(state).shortestPath();
    for (int n = removed.size(); n > 0; n -= 2) {
      state.add(state.shards.get(removed.get(n - 2)), removed.get(n - 1));
    }
    BalancingPath owners = PlacementPlanner.ownerPath(state);
    return new long[] {
      forced,
      missing,
      leaving,
      Math.max(0, extra - 1),
      extra > 1 ? ownedExtra : 0,
      -apart,
      copies,
      path == null ? 0 : path.length(),
      extra,
      ownedExtra,
      squares(state, state.ownerCounts),
      owners == null ? 0 : owners.length()
    };
  }

  private static long squares(PlacementState state, int[] counts) {
    return state.readyNodes().mapToLong(node -> (long) counts[node] * counts[node]).sum();
  }

  private static PlacementView after(PlacementView view, PlacementStep step) {
    List<ShardView> shards =
        view.shards().stream().map(s -> s.number() == step.shard() ? after(s, step) : s).toList();
    return new PlacementView(view.replicas(), view.nodes(), shards);
  }

  private static ShardView after(ShardView shard, PlacementStep step) {
    List<NodeId> copies = new ArrayList<>(shard.copies());
    Set<NodeId> behind = new HashSet<>(shard.behind());
    NodeId owner = shard.owner();
    switch (step) {
      case AddCopy(_, NodeId node) -> copies.add(node);
      case RemoveCopy(_, NodeId node) -> {
        copies.remove(node);
        behind.remove(node);
      }
      case MoveOwner(_, NodeId to) -> owner = to;
    }
    return new ShardView(shard.number(), copies, owner, shard.isChanging(), behind, shard.bytes());
  }

  private static PlacementView anyView(Random random) {
    int count = 1 + random.nextInt(12);
    boolean isCalm = random.nextBoolean();
    int zones = 1 + random.nextInt(4);
    List<NodeView> nodes = new ArrayList<>();
    for (int node = 0; node < count; node++) {
      Map<String, String> labels =
          Map.of("zone", "" + random.nextInt(zones), "rack", "" + random.nextInt(3));
      NodeUse use =
          random.nextInt(isCalm ? 12 : 3) > 0
              ? NodeUse.READY
              : NodeUse.values()[random.nextInt(NodeUse.values().length)];
      nodes.add(
          new NodeView(
              SimulatedPlacement.id(node), random.nextInt(8) == 0 ? Map.of() : labels, use));
    }
    int replicas = 1 + random.nextInt(5);
    List<ShardView> shards = new ArrayList<>();
    int shardCount = random.nextInt(24);
    for (int shard = 0; shard < shardCount; shard++) {
      List<NodeId> ids = new ArrayList<>(nodes.stream().map(NodeView::node).toList());
      Collections.shuffle(ids, random);
      int copies = isCalm ? replicas : 1 + random.nextInt(replicas + 2);
      ids = ids.subList(0, Math.min(ids.size(), copies));
      int rare = isCalm ? 100 : 12;
      shards.add(
          new ShardView(
              shard,
              ids,
              random.nextInt(rare) == 0 ? null : ids.getFirst(),
              random.nextInt(rare) == 0,
              random.nextInt(rare) == 0 ? Set.of(ids.getLast()) : Set.of(),
              random.nextInt(4)));
    }
    return new PlacementView(replicas, nodes, shards);
  }

  @Property(tries = 30)
  void oneMoreNodeTakesItsShareAndNoMore(
      @ForAll @IntRange(min = 3, max = 40) int nodes,
      @ForAll @IntRange(min = 1, max = 128) int shards,
      @ForAll @IntRange(min = 1, max = 5) int replicas) {
    SimulatedPlacement cluster = SimulatedPlacement.of(nodes, shards, replicas);
    cluster.join(nodes, Map.of());
    cluster.settle();

    SimulatedPlacement.requireEven(cluster.copyCounts(_ -> true));
    SimulatedPlacement.requireEven(cluster.ownerCounts(_ -> true));
    int copies = shards * Math.min(replicas, nodes + 1);
    int missing = replicas > nodes ? shards : 0;
    assertThat(cluster.addedCopies).isLessThanOrEqualTo(Math.max(missing, copies / (nodes + 1)));
    // An owner moves with its copy, or to the new node, directly or by a chain.
    assertThat(cluster.movedOwners).isLessThanOrEqualTo(2 * (copies + shards) / (nodes + 1) + 5);
  }

  @Property(tries = 30)
  void nodeThatLeavesHasItsCopiesReplacedAndNoOther(
      @ForAll @IntRange(min = 3, max = 40) int nodes,
      @ForAll @IntRange(min = 1, max = 128) int shards,
      @ForAll @IntRange(min = 1, max = 5) int replicas) {
    SimulatedPlacement cluster = SimulatedPlacement.of(nodes, shards, replicas);
    cluster.node(SimulatedPlacement.id(nodes / 2)).isLeaving = true;
    int copies = cluster.copyCounts(node -> node.isLeaving)[0];
    cluster.settle();

    assertThat(cluster.copyCounts(node -> node.isLeaving)).containsExactly(0);
    SimulatedPlacement.requireEven(cluster.copyCounts(node -> !node.isLeaving));
    SimulatedPlacement.requireEven(cluster.ownerCounts(node -> !node.isLeaving));
    // Where the nodes with fewest copies have the shard already, a copy moves once more.
    assertThat(cluster.addedCopies).isLessThanOrEqualTo(copies + nodes / 2 + 2);
  }

  /** Drains, stops and starts every node in turn. */
  @Property(tries = 20)
  void rollingRestartEndsAsEvenAsItBegan(
      @ForAll @IntRange(min = 3, max = 12) int nodes,
      @ForAll @IntRange(min = 1, max = 64) int shards) {
    SimulatedPlacement cluster = SimulatedPlacement.of(nodes, shards, 3);
    for (NodeId id : cluster.nodes.keySet()) {
      cluster.node(id).isDraining = true;
      cluster.settle();
      assertThat(cluster.shards.values()).noneMatch(shard -> id.equals(shard.owner));
      cluster.node(id).isUp = false;
      cluster.node(id).isDraining = false;
      cluster.settle();
      cluster.node(id).isUp = true;
      cluster.loseDisk(id);
      cluster.settle();
      cluster.catchUp(_ -> true);
      cluster.settle();
    }

    assertThat(cluster.addedCopies).isZero();
    SimulatedPlacement.requireEven(cluster.copyCounts(_ -> true));
    SimulatedPlacement.requireEven(cluster.ownerCounts(_ -> true));
    assertThat(cluster.movedOwners).isLessThanOrEqualTo(4 * (shards + nodes));
  }

  @Property(tries = 30)
  void lowerAndHigherNumbersOfReplicasAreReached(
      @ForAll @IntRange(min = 3, max = 12) int nodes,
      @ForAll @IntRange(min = 1, max = 64) int shards,
      @ForAll @IntRange(min = 1, max = 5) int replicas) {
    SimulatedPlacement cluster = SimulatedPlacement.of(nodes, shards, 3);
    cluster.replicas = replicas;
    cluster.settle();

    assertThat(cluster.shards.values())
        .allMatch(shard -> shard.copies.size() == Math.min(nodes, replicas));
    SimulatedPlacement.requireEven(cluster.copyCounts(_ -> true));
    SimulatedPlacement.requireEven(cluster.ownerCounts(_ -> true));
  }

  // ---- Labels

  /** A zone has no more nodes than even copies allow, so labels stand in the way of nothing. */
  @Property(tries = 60)
  void copiesAreApartAndEvenWhereZonesAllowBoth(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 40) int shards,
      @ForAll @IntRange(min = 2, max = 4) int replicas) {
    Random random = new Random(seed);
    int zones = replicas + random.nextInt(3);
    int size = 1 + random.nextInt(4);
    SimulatedPlacement cluster = new SimulatedPlacement(replicas);
    for (int node = 0; node < zones * size; node++) {
      cluster.join(node, Map.of("zone", "z" + node % zones));
    }
    cluster.place(FirstPlacement.of(cluster.nodes.keySet(), shards, replicas));
    cluster.settle();
    requireApart(cluster, replicas);
    SimulatedPlacement.requireEven(cluster.copyCounts(_ -> true));
    SimulatedPlacement.requireEven(cluster.ownerCounts(_ -> true));
  }

  /** With as many zones as copies, each zone has one copy of each shard. */
  @Property(tries = 60)
  void copiesAreEvenWithinEachZoneWhereZonesDiffer(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int shards) {
    Random random = new Random(seed);
    SimulatedPlacement cluster = new SimulatedPlacement(3);
    Map<String, Integer> sizes = new TreeMap<>();
    for (int node = 0; node < 12; node++) {
      String zone = "z" + (node < 3 ? node : random.nextInt(3));
      sizes.merge(zone, 1, Integer::sum);
      cluster.join(node, Map.of("zone", zone));
    }
    cluster.place(FirstPlacement.of(cluster.nodes.keySet(), shards, 3));
    cluster.settle();
    requireApart(cluster, 3);
    sizes.forEach(
        (zone, _) ->
            SimulatedPlacement.requireEven(
                cluster.copyCounts(node -> zone.equals(node.labels.get("zone")))));
  }

  /** Where a direct move would bring copies together, copies move in a chain over a third zone. */
  @Example
  void copiesAreEvenedByAChainOverAnotherZone() {
    SimulatedPlacement cluster = new SimulatedPlacement(2);
    IntStream.range(0, 3).forEach(node -> cluster.join(node, Map.of("zone", "z" + node)));
    // Every shard of n000 is also on n001, which has room.
    place(cluster, "01", "01", "01", "02", "02", "02", "02");
    int[] before = cluster.copyCounts(_ -> true);
    cluster.settle();

    assertThat(before).containsExactly(7, 3, 4);
    SimulatedPlacement.requireEven(cluster.copyCounts(_ -> true));
    requireApart(cluster, 2);
  }

  @Example
  void labelsThatForbidEvenCopiesAreExplained() {
    SimulatedPlacement cluster = new SimulatedPlacement(2);
    IntStream.range(0, 3).forEach(node -> cluster.join(node, Map.of("zone", "z" + node / 2)));
    place(cluster, "02", "12", "02", "12");

    assertThat(PlacementPlanner.plan(cluster.view())).allMatch(MoveOwner.class::isInstance);
    cluster.settle();
    assertThat(PlacementPlanner.reasons(cluster.view()))
        .containsExactly(
            "Copies are uneven, node n002 has 4 and node n000 has 2: zones and racks allow no other"
                + " place.");
  }

  private static void requireApart(SimulatedPlacement cluster, int zones) {
    assertThat(cluster.shards.values())
        .allMatch(
            shard ->
                shard.copies.stream()
                        .map(id -> cluster.node(id).labels.get("zone"))
                        .distinct()
                        .count()
                    == zones);
  }
}
