package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.placement.ShardView;
import dev.holdfast.faults.Polling;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More nodes than copies: each shard is on three of them, and each node reaches every object. */
class EvenedNodesTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));

  /** Each has three copies: neither number is one that four or five nodes share without a rest. */
  private static final int SHARDS = LONG ? 10 : 6;

  private static final int OBJECTS = LONG ? 60 : 24;

  /** Those of five that are restarted; the second one evens. */
  private static final List<String> RESTARTED =
      LONG ? List.of("a", "b", "c", "d", "e") : List.of("b", "e");

  private static final Duration READY = Duration.ofMinutes(2);

  @TempDir private Path directory;

  private final Map<String, Long> counts = new TreeMap<>();

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, Counter.CounterObject::new);
  }

  private static Counter counter(ClusterRuntime node, String name) {
    ObjectNamespace<Counter> counters = node.namespace("counters", Counter.class);
    return counters.getByName(name);
  }

  private void addFromEach(ManyNodes nodes) {
    List<ClusterRuntime> all = new ArrayList<>(nodes.all().values());
    for (int object = 0; object < OBJECTS; object++) {
      String name = "n" + object;
      long count = counter(all.get(object % all.size()), name).add(1);
      assertThat(count).isEqualTo(counts.merge(name, 1L, Long::sum));
    }
  }

  private void assertCounts(ManyNodes nodes) {
    nodes
        .all()
        .values()
        .forEach(
            node ->
                counts.forEach(
                    (name, count) -> assertThat(counter(node, name).add(0)).isEqualTo(count)));
  }

  private static Map<String, Long> copies(ManyNodes nodes, String by) {
    return nodes.look(by).view().shards().stream()
        .flatMap(shard -> shard.copies().stream())
        .collect(Collectors.groupingBy(node -> node.name(), TreeMap::new, Collectors.counting()));
  }

  private static Map<String, Long> owners(ManyNodes nodes, String by) {
    return nodes.look(by).view().shards().stream()
        .collect(
            Collectors.groupingBy(
                shard -> String.valueOf(shard.owner()), TreeMap::new, Collectors.counting()));
  }

  private static void assertEven(Map<String, Long> counts, int nodes) {
    assertThat(counts).hasSize(nodes);
    assertThat(counts.values().stream().mapToLong(Long::longValue).summaryStatistics())
        .satisfies(
            each -> assertThat(each.getMax() - each.getMin()).as("%s", counts).isLessThan(2));
  }

  private long directories(ManyNodes nodes, String node) throws Exception {
    try (Stream<Path> shards = Files.list(nodes.directoryOf(node).resolve("shards"))) {
      return shards.count();
    }
  }

  /** Four of five have met more than half of all; the fifth comes later. */
  @Test
  void rollingRestartOfFiveNodesEndsAsEvenAsItBegan() throws Exception {
    try (ManyNodes nodes =
        new ManyNodes(
            directory,
            SHARDS,
            List.of("a", "b", "c", "d", "e"),
            List.of(),
            EvenedNodesTest::register)) {
      UnaryOperator<ClusterOptions> three = options -> options.withReplicas(3);
      List.of("a", "b", "c", "d").forEach(name -> nodes.openNode(name, three));
      for (String name : List.of("a", "b", "c", "d")) {
        assertThat(nodes.get(name).awaitReady(READY)).isTrue();
      }
      addFromEach(nodes);
      nodes.openNode("e", three);
      nodes.awaitReady();
      assertEven(copies(nodes, "a"), 5);
      nodes.even("b");

      for (String name : RESTARTED) {
        while (nodes.get(name).whyNotToStop().isPresent()) {
          Polling.pause();
        }
        ThreeNodes.drain(nodes.get(name));
        nodes.closeNode(name);
        assertThat(nodes.get(name.equals("b") ? "c" : "b").whyNotToStop()).isPresent();
        addFromEach(nodes);
        nodes.openNode(name, three);
        nodes.awaitReady();
      }
      nodes.even("c");
      assertEven(copies(nodes, "a"), 5);
      assertEven(owners(nodes, "a"), 5);
      addFromEach(nodes);
      assertCounts(nodes);
    }
  }

  @Test
  void eachShardIsOnThreeOfFourNodesAndAFifthTakesItsPart() throws Exception {
    try (ManyNodes nodes =
        new ManyNodes(
            directory,
            SHARDS,
            List.of("a", "b", "c"),
            List.of("d", "e"),
            EvenedNodesTest::register)) {
      nodes.openFirst();
      addFromEach(nodes);
      for (String added : List.of("d", "e")) {
        ClusterRuntime node = nodes.openNode(added);
        nodes.get("a").add(nodes.member(added));
        assertThat(node.awaitReady(READY)).isTrue();
        addFromEach(nodes);
        nodes.even("b");
        addFromEach(nodes);
        assertEven(copies(nodes, "c"), nodes.all().size());
        assertEven(owners(nodes, "c"), nodes.all().size());
        assertThat(nodes.look("c").view().shards())
            .allSatisfy((ShardView shard) -> assertThat(shard.copies()).hasSize(3));
        assertCounts(nodes);
      }
      while (directories(nodes, "a") != copies(nodes, "a").getOrDefault("a", 0L)) {
        Polling.pause(); // it hears in the background what it keeps no more
      }

      nodes.get("b").remove("a");
      nodes.closeNode("a");
      addFromEach(nodes);
      nodes.even("c");
      assertEven(copies(nodes, "c"), 4);
      assertEven(owners(nodes, "c"), 4);
      assertCounts(nodes);

      nodes.closeNode("e");
      nodes.openNode("e");
      nodes.awaitReady();
      addFromEach(nodes);
      assertCounts(nodes);
      nodes.even("d");
      assertEven(owners(nodes, "c"), 4);
    }
  }

  @Test
  void nodeThatReturnsHasNoDirectoryOfAShardThatItDoesNotKeep() throws Exception {
    try (ManyNodes nodes =
        new ManyNodes(
            directory, SHARDS, List.of("a", "b", "c", "d"), List.of(), EvenedNodesTest::register)) {
      nodes.openFirst();
      nodes.get("a").remove("d");
      nodes.closeNode("d");
      Files.move(nodes.directoryOf("d"), directory.resolve("removed"));
      nodes.openNode("d"); // it opens the shards of the first placement until it is refused
      nodes.get("a").add(nodes.member("d"));
      assertThat(directories(nodes, "d")).isEqualTo(copies(nodes, "a").get("d"));
    }
  }

  @Test
  void nodeThatHasLostItsDirectoryReturnsUnderItsName() throws Exception {
    try (ManyNodes nodes =
        new ManyNodes(directory, 3, List.of("a", "b", "c"), List.of(), EvenedNodesTest::register)) {
      nodes.openFirst();
      addFromEach(nodes);
      assertThatThrownBy(() -> nodes.get("a").replace(nodes.member("c")))
          .isInstanceOfSatisfying(
              ClusterException.class,
              thrown -> assertThat(thrown.reason()).isEqualTo(Reason.NOT_CHANGED))
          .hasMessageContaining("runs");
      nodes.closeNode("c");
      Path lost = directory.resolve("lost");
      Files.move(nodes.directoryOf("c"), lost);
      assertThatThrownBy(() -> nodes.openNode("c"))
          .isInstanceOfSatisfying(
              ClusterException.class,
              thrown -> assertThat(thrown.reason()).isEqualTo(Reason.INCARNATION))
          .hasMessageContaining("cluster replace");

      CompletableFuture<Void> replaced =
          CompletableFuture.runAsync(() -> nodes.get("a").replace(nodes.member("c")));
      while (nodes.look("b").view().shards().stream()
          .anyMatch(shard -> shard.copies().contains(new NodeId("c")))) {
        Polling.pause();
      }
      addFromEach(nodes);
      openReplaced(nodes, replaced);
      nodes.get("b").replace(nodes.member("c")); // what is done already has no effect
      addFromEach(nodes);
      nodes.closeNode("b"); // what a and c have now is a majority
      addFromEach(nodes);
      assertCounts(nodes);

      nodes.openNode("b");
      nodes.awaitReady();
      nodes.closeNode("c");
      Files.move(nodes.directoryOf("c"), directory.resolve("second"));
      Files.move(lost, nodes.directoryOf("c"));
      assertThatThrownBy(() -> nodes.openNode("c"))
          .isInstanceOfSatisfying(
              ClusterException.class,
              thrown ->
                  assertThat(thrown.reason())
                      .as(thrown.getMessage())
                      .isIn(Reason.REMOVED, Reason.INCARNATION));
    }
  }

  private static void openReplaced(ManyNodes nodes, CompletableFuture<Void> replaced)
      throws Exception {
    while (!replaced.isDone()) {
      try {
        nodes.openNode("c");
        break;
      } catch (ClusterException e) {
        assertThat(e.reason()).isEqualTo(Reason.INCARNATION); // not all have heard yet
      }
    }
    replaced.join();
    nodes.awaitReady();
  }

  /** The node that was asked is lost when no shard has c any more, and nothing else is recorded. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nodeThatLosesItsSecondDirectoryReturnsAfterAReplacementThatWasInterrupted(boolean isStarting)
      throws Exception {
    try (ManyNodes nodes =
        new ManyNodes(directory, 3, List.of("a", "b", "c"), List.of(), EvenedNodesTest::register)) {
      nodes.openFirst();
      nodes.closeNode("c");
      Files.move(nodes.directoryOf("c"), directory.resolve("first"));
      openReplaced(
          nodes, CompletableFuture.runAsync(() -> nodes.get("a").replace(nodes.member("c"))));
      nodes.closeNode("c");
      Files.move(nodes.directoryOf("c"), directory.resolve("second"));

      ClusterNode a = (ClusterNode) nodes.get("a");
      for (int shard = 0; shard < 3; shard++) {
        int number = shard;
        ThreeNodes.untilChanged(() -> a.owners().of(number).removeLost("c"));
      }
      CompletableFuture<Void> replaced = replacedFrom(nodes, "b", isStarting);
      openReplaced(nodes, replaced);
      addFromEach(nodes);
      Map<String, Long> three = Map.of("a", 3L, "b", 3L, "c", 3L);
      assertThat(copies(nodes, "a")).isEqualTo(three);

      assertChangesOfRulesAreKept(nodes);
    }
  }

  /**
   * Replaces c.
   *
   * @param isStarting whether something is at its address that does not say yet which directory it
   *     has
   */
  private static CompletableFuture<Void> replacedFrom(
      ManyNodes nodes, String asked, boolean isStarting) throws IOException {
    Runnable replace = () -> nodes.get(asked).replace(nodes.member("c"));
    if (!isStarting) {
      return CompletableFuture.runAsync(replace);
    }
    try (ServerSocket server = new ServerSocket()) {
      server.bind(MemberAddress.parse(nodes.member("c")).address());
      CompletableFuture<Void> replaced = CompletableFuture.runAsync(replace);
      server.accept().close();
      return replaced;
    }
  }

  /** The second one is said between the look and the change of the first one. */
  private static void assertChangesOfRulesAreKept(ManyNodes nodes) {
    Balancer a = ((ClusterNode) nodes.get("a")).balancer();
    Balancer b = ((ClusterNode) nodes.get("b")).balancer();
    assertThatThrownBy(
            () ->
                b.change(
                    rules -> {
                      a.change(last -> last.off(new NodeId("a"), true));
                      return rules.leaving(new NodeId("b"), new NodeId("c"), true);
                    }))
        .isInstanceOfSatisfying(
            ClusterException.class,
            thrown -> assertThat(thrown.reason()).isEqualTo(Reason.NOT_CHANGED));
    assertThat(nodes.look("c").rules().isOff()).isTrue();
    assertThat(nodes.look("c").rules().leaving()).isEmpty();
    b.change(rules -> rules.leaving(new NodeId("b"), new NodeId("c"), true));
    assertThat(nodes.look("a").rules().isOff()).isTrue();
    assertThat(nodes.look("a").rules().leaving()).containsExactly(new NodeId("c"));
  }

  /** It was away all the time that c had the directory which is lost. */
  @Test
  void memberThatHasNeverMetALostDirectoryReplacesIt() throws Exception {
    try (ManyNodes nodes =
        new ManyNodes(
            directory, 3, List.of("a", "b", "e"), List.of("c"), EvenedNodesTest::register)) {
      nodes.openFirst();
      nodes.closeNode("b");
      ClusterRuntime first = nodes.openNode("c");
      ThreeNodes.untilChanged(() -> nodes.get("a").add(nodes.member("c")));
      assertThat(first.awaitReady(READY)).isTrue();
      nodes.closeNode("c");
      Files.move(nodes.directoryOf("c"), directory.resolve("lost"));
      nodes.openNode("b");
      nodes.awaitReady();
      assertThatThrownBy(() -> nodes.openNode("c"))
          .as("also by b")
          .isInstanceOfSatisfying(
              ClusterException.class,
              thrown -> assertThat(thrown.reason()).isEqualTo(Reason.INCARNATION));
      openReplaced(
          nodes, CompletableFuture.runAsync(() -> nodes.get("b").replace(nodes.member("c"))));
      addFromEach(nodes);
    }
  }

  /** Its log names the owner of before, which is not there. */
  @Test
  void nodeIsNotReadyBeforeAnOwnerAnswersIt() throws Exception {
    try (ManyNodes nodes =
        new ManyNodes(directory, 2, List.of("a", "b", "c"), List.of(), EvenedNodesTest::register)) {
      nodes.openFirst();
      addFromEach(nodes);
      List.of("a", "b", "c").forEach(nodes::closeNode);
      assertThat(nodes.openNode("a").awaitReady(Duration.ofSeconds(3))).isFalse();
      nodes.openNode("b");
      nodes.awaitReady();
      addFromEach(nodes);
    }
  }
}
