package dev.holdfast.cluster.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cluster.placement.SimulatedPlacement.Node;
import dev.holdfast.cluster.placement.SimulatedPlacement.Shard;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Two planners, one with old views, move shards while nodes crash, come, drain, leave and lose
 * disks, and steps are lost, half done or late. A failure names its seed.
 */
final class PlacementSimulationTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int SMALL_SEEDS = IS_LONG ? 20_000 : 60;
  private static final int LARGE_SEEDS = IS_LONG ? 40 : 1;

  @Test
  void smallClustersStaySafeAndEndEven() {
    for (int seed = 0; seed < SMALL_SEEDS; seed++) {
      Random random = new Random(seed);
      run(seed, 2 + random.nextInt(11), 1 + random.nextInt(32), /* ticks= */ 120);
    }
  }

  @Test
  void twoHundredNodesStaySafeAndEndEven() {
    for (int seed = 0; seed < LARGE_SEEDS; seed++) {
      run(seed, 200, 128, /* ticks= */ IS_LONG ? 300 : 40);
    }
  }

  private static void run(int seed, int nodes, int shards, int ticks) {
    try {
      new Seed(seed, nodes, shards).run(ticks);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError("Seed " + seed + " with " + nodes + " nodes: " + e, e);
    }
  }

  /** One run. */
  private static final class Seed {
    private final Random random;
    private final SimulatedPlacement cluster;
    private final boolean hasZones;
    private final Deque<PlacementView> views = new ArrayDeque<>();
    private int nextNode;

    Seed(int seed, int nodes, int shards) {
      random = new Random(seed);
      hasZones = random.nextInt(3) == 0;
      cluster = new SimulatedPlacement(random.nextBoolean() ? 3 : random.nextInt(1, 6));
      for (int node = 0; node < nodes; node++) {
        join();
      }
      cluster.place(FirstPlacement.of(cluster.nodes.keySet(), shards, cluster.replicas));
    }

    void run(int ticks) {
      for (int tick = 0; tick < ticks; tick++) {
        disturb();
        cluster.elect(random);
        views.addLast(cluster.view());
        act(views.getLast());
        act(views.getFirst());
        if (views.size() > 5) {
          views.removeFirst();
        }
        progress();
      }
      calm();
      int steps = cluster.settle();
      requireEven();
      assertThat(PlacementPlanner.plan(cluster.view())).isEmpty();
      assertThat(
              PlacementPlanner.reasons(cluster.view()).stream().filter(s -> !s.contains("zones")))
          .as("after %s steps", steps)
          .isEmpty();
    }

    private void join() {
      cluster.join(
          nextNode++,
          hasZones
              ? Map.of("zone", "z" + random.nextInt(4), "rack", "r" + random.nextInt(3))
              : Map.of());
    }

    private void disturb() {
      NodeId id = any(new ArrayList<>(cluster.nodes.keySet()));
      Node node = cluster.node(id);
      switch (random.nextInt(14)) {
        case 0 -> node.isUp = false;
        case 1, 2, 3 -> cluster.nodes.values().forEach(each -> each.isUp |= random.nextBoolean());
        case 4 -> node.isDraining = true;
        case 5, 6 ->
            cluster.nodes.values().forEach(each -> each.isDraining &= random.nextBoolean());
        case 7 -> {
          if (cluster.nodes.size() < 210 && random.nextInt(3) == 0) {
            join();
          }
        }
        case 8 -> node.isLeaving |= random.nextInt(3) == 0;
        case 9 -> cluster.loseDisk(id);
        case 10 -> cluster.electAny(any(new ArrayList<>(cluster.shards.values())), random);
        default -> {}
      }
      cluster.nodes.keySet().removeIf(each -> cluster.node(each).isLeaving && isEmpty(each));
    }

    private boolean isEmpty(NodeId id) {
      return cluster.nodes.size() > 1
          && cluster.shards.values().stream()
              .noneMatch(shard -> shard.copies.contains(id) || shard.change != null);
    }

    private void act(PlacementView view) {
      PlacementPlanner.next(view).ifPresent(step -> beginIfPossible(view, step));
      if (random.nextInt(16) == 0) {
        assertThat(PlacementPlanner.reasons(view)).allMatch(reason -> reason.endsWith("."));
      }
    }

    private void beginIfPossible(PlacementView view, PlacementStep step) {
      SimulatedPlacement.requireAllowed(view, step);
      boolean isKnown =
          switch (step) {
            case PlacementStep.AddCopy(_, NodeId node) -> cluster.nodes.containsKey(node);
            case PlacementStep.RemoveCopy(_, NodeId node) -> cluster.nodes.containsKey(node);
            case PlacementStep.MoveOwner(_, NodeId to) -> cluster.nodes.containsKey(to);
          };
      if (isKnown) {
        cluster.begin(view, step);
      }
    }

    private void progress() {
      for (Shard shard : cluster.shards.values()) {
        switch (random.nextInt(6)) {
          case 0 -> shard.change = null;
          case 1, 2 -> cluster.end(shard, /* isCaughtUp= */ true);
          case 3 -> cluster.end(shard, /* isCaughtUp= */ false);
          default -> {}
        }
      }
      cluster.catchUp(_ -> random.nextInt(3) == 0);
    }

    /** All nodes answer, and what was under way ends. What lost its majority is restored. */
    private void calm() {
      cluster.nodes.values().forEach(node -> node.isUp = true);
      cluster.nodes.values().forEach(node -> node.isDraining = false);
      if (cluster.nodes.values().stream().allMatch(node -> node.isLeaving)) {
        join();
      }
      for (Shard shard : cluster.shards.values()) {
        cluster.end(shard, /* isCaughtUp= */ true);
        shard.behind.clear();
      }
      cluster.elect(random);
    }

    private void requireEven() {
      Set<Map<String, String>> racks = labels("zone", "rack");
      Set<Map<String, String>> zones = labels("zone");
      long staying = cluster.nodes.values().stream().filter(node -> !node.isLeaving).count();
      int wanted = (int) Math.min(cluster.replicas, staying);
      for (Shard shard : cluster.shards.values()) {
        assertThat(shard.copies).hasSize(wanted).noneMatch(id -> cluster.node(id).isLeaving);
        assertThat(labels(shard, "zone")).hasSize(Math.min(wanted, zones.size()));
        assertThat(labels(shard, "zone", "rack")).hasSize(Math.min(wanted, racks.size()));
      }
      if (!hasZones) {
        SimulatedPlacement.requireEven(cluster.copyCounts(node -> !node.isLeaving));
        SimulatedPlacement.requireEven(cluster.ownerCounts(node -> !node.isLeaving));
      }
    }

    private Set<Map<String, String>> labels(String... labels) {
      return cluster.nodes.values().stream()
          .filter(node -> !node.isLeaving)
          .map(node -> some(node, labels))
          .collect(Collectors.toSet());
    }

    private Set<Map<String, String>> labels(Shard shard, String... labels) {
      return shard.copies.stream()
          .map(id -> some(cluster.node(id), labels))
          .collect(Collectors.toSet());
    }

    private static Map<String, String> some(Node node, String... labels) {
      return List.of(labels).stream()
          .collect(Collectors.toMap(label -> label, label -> node.labels.getOrDefault(label, "")));
    }

    private <T> T any(List<T> list) {
      return list.get(random.nextInt(list.size()));
    }
  }
}
