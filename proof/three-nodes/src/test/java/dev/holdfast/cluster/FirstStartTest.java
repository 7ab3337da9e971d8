package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthReason;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The founders of a cluster begin without the other first members, and nobody else does. */
final class FirstStartTest {

  private static final int SHARDS = 2;

  private static final int OBJECTS = 8;

  @TempDir private Path directory;

  private final Map<String, Long> acknowledged = new TreeMap<>();

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, Counter.CounterObject::new);
  }

  private ThreeNodes prepare() throws Exception {
    return ThreeNodes.prepare(
        directory,
        SHARDS,
        FirstStartTest::register,
        ClusterNode.Settings.DEFAULT.beginningAfter(0));
  }

  private void write(ClusterRuntime node) {
    ObjectNamespace<Counter> counters = node.namespace("counters", Counter.class);
    for (int object = 0; object < OBJECTS; object++) {
      String name = "n" + object;
      Counter counter = counters.getByName(name);
      long before = acknowledged.getOrDefault(name, 0L);
      long count = ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), before);
      assertThat(count).as(name).isEqualTo(before + 1);
      acknowledged.put(name, count);
    }
  }

  private static void open(ThreeNodes nodes, String... names) {
    List.of(names).forEach(nodes::openNode);
  }

  private static boolean says(ClusterRuntime node, String code, String text) {
    return node.health().reasons().stream()
        .anyMatch(each -> each.code().equals(code) && each.text().contains(text));
  }

  private static void awaitReason(ClusterRuntime node, String code, String text) {
    while (!says(node, code, text)) {
      Polling.pause();
    }
  }

  /** That it has met the others is said by what it has not met. */
  private static void awaitUnmet(ClusterRuntime node, String text) {
    awaitReason(node, HealthReason.NO_MAJORITY, text);
  }

  private void lose(String name) throws IOException {
    try (Stream<Path> all = Files.walk(directory.resolve(name))) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  private void assertNotBegun(String name) {
    for (int shard = 0; shard < SHARDS; shard++) {
      assertThat(directory.resolve(name + "/shards/000" + shard + "/log")).doesNotExist();
    }
  }

  private static void assertRefused(ThreeNodes nodes, String name, Reason reason) {
    assertThatThrownBy(
            () -> {
              nodes.openNode(name); // a member may answer only after it is open
              nodes.get(name).awaitReady(Duration.ofMinutes(2));
            })
        .satisfies(because(reason));
  }

  private static ThrowingConsumer<Throwable> because(Reason reason) {
    return thrown ->
        assertThat(thrown)
            .isInstanceOfSatisfying(
                ClusterException.class,
                refused -> assertThat(refused.reason()).as(refused.getMessage()).isEqualTo(reason));
  }

  private static String[] withTheFourth(ThreeNodes nodes) {
    return new String[] {
      "a=" + nodes.addressOf("a"),
      "b=" + nodes.addressOf("b"),
      "c=" + nodes.addressOf("c"),
      nodes.fourth()
    };
  }

  @Test
  void twoOfThreeBeginAndTheThirdFollowsTheirLogs() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b");
      nodes.awaitReady();
      write(nodes.get("a"));
      write(nodes.get("b"));
      assertThat(nodes.get("a").shards())
          .allSatisfy(
              shard -> {
                assertThat(shard.copies()).containsExactlyInAnyOrder("a", "b", "c");
                assertThat(shard.agreedVersion()).as("of nodes that have come").isEqualTo(3);
              });

      open(nodes, "c");
      nodes.awaitReady();
      write(nodes.get("c"));
      nodes.awaitAllAlike();
      nodes.closeNode("a");
      write(nodes.get("c")); // b and c are a majority: c has all of it
      open(nodes, "a");
      nodes.closeNode("b");
      write(nodes.get("c"));
    }
  }

  @Test
  void lastFounderIsWaitedForAndNamed() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "b", "c");
      awaitUnmet(nodes.get("b"), "begins when a, b have met each other");
      awaitUnmet(nodes.get("b"), "Node b has not met a:");
      awaitUnmet(nodes.get("c"), "Node c has not met a:");
      assertNotBegun("b");
      assertNotBegun("c");
      assertThatThrownBy(() -> ((ClusterNode) nodes.get("c")).placement().keep(0, 3))
          .satisfies(because(Reason.STARTING));
      assertNotBegun("c");

      open(nodes, "a");
      nodes.awaitReady();
      write(nodes.get("c"));
    }
  }

  /** With the third one, which has never come, it would be a majority that knows of nothing. */
  @Test
  void founderThatHasLostItsDirectoryBeginsNoOtherCluster() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b");
      nodes.awaitReady();
      write(nodes.get("a"));
      nodes.closeNode("a");
      nodes.closeNode("b");
      lose("b");

      open(nodes, "b", "c");
      awaitUnmet(nodes.get("b"), "Node b has not met a:");
      awaitUnmet(nodes.get("c"), "Node c has not met a:");
      assertNotBegun("b");
      assertNotBegun("c");

      open(nodes, "a");
      assertThatThrownBy(() -> nodes.get("b").awaitReady(Duration.ofMinutes(2)))
          .satisfies(because(Reason.INCARNATION));
      assertNotBegun("b");
    }
  }

  @Test
  void foundersThatHaveBothLostTheirDirectoriesBeginNothingBesideOneThatKnowsThem()
      throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b", "c");
      nodes.awaitReady();
      for (String name : List.of("a", "b")) {
        nodes.closeNode(name);
        lose(name);
      }
      assertRefused(nodes, "a", Reason.INCARNATION);
      assertRefused(nodes, "b", Reason.INCARNATION);
      assertNotBegun("a");
      assertNotBegun("b");
    }
  }

  /** All have been restarted, and one that has the objects is a little later than the others. */
  @Test
  void foundersThatHaveBothLostTheirDirectoriesWaitForOneThatKnowsThem() throws Exception {
    ClusterNode.Settings waiting = ClusterNode.Settings.DEFAULT.beginningAfter(Long.MAX_VALUE);
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b", "c");
      nodes.awaitReady();
      for (String name : List.of("a", "b", "c")) {
        nodes.closeNode(name);
      }
      lose("a");
      lose("b");
      nodes.openNode("a", waiting);
      nodes.openNode("b", waiting);
      awaitUnmet(nodes.get("a"), "Node a has not met c:");
      awaitUnmet(nodes.get("b"), "Node b has not met c:");
      assertNotBegun("a");
      assertNotBegun("b");

      assertRefused(nodes, "c", Reason.INCARNATION); // it knows other directories
      assertNotBegun("a");
      assertNotBegun("b");
    }
  }

  /** It ends at once, because it knows other directories, and is not there for an attempt. */
  @Test
  void memberThatHasCalledIsNotTakenForAway() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b", "c");
      nodes.awaitReady();
      for (String name : List.of("a", "b", "c")) {
        nodes.closeNode(name);
      }
      lose("a");
      lose("b");
      open(nodes, "a"); // it begins at once without a member that is not there
      awaitUnmet(nodes.get("a"), "Node a has not met b, c:");
      assertRefused(nodes, "c", Reason.INCARNATION);
      nodes.openNode("b", ClusterNode.Settings.DEFAULT.beginningAfter(Long.MAX_VALUE));
      while (!says(nodes.get("a"), HealthReason.NO_MAJORITY, "Node a has not met c:")
          && !says(nodes.get("a"), HealthReason.NODE_REFUSED, "incarnation")) {
        Polling.pause();
      }
      assertNotBegun("a");
    }
  }

  /** One of the two founders alone is too little: the other one may know another directory. */
  @Test
  void thirdMemberThatHasComeOnceComesWithThatDirectoryOrIsReplaced() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b");
      nodes.awaitReady();
      nodes.closeNode("a");
      open(nodes, "c");
      awaitUnmet(nodes.get("c"), "Node c has not met a:");
      assertNotBegun("c");
      nodes.closeNode("c");
      lose("c");

      assertRefused(nodes, "c", Reason.INCARNATION);
      assertNotBegun("c");
    }
  }

  @Test
  void directoryOfTheThirdMemberIsReplacedWhenItIsLostAfterItHasCome() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b");
      nodes.awaitReady();
      write(nodes.get("a"));
      open(nodes, "c");
      nodes.awaitReady();
      nodes.closeNode("c");
      lose("c");
      assertRefused(nodes, "c", Reason.INCARNATION);
    }
  }

  @Test
  void memberThatHasNeverComeIsNotReplaced() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b");
      nodes.awaitReady();
      write(nodes.get("a"));

      assertThatThrownBy(() -> nodes.get("a").replace("c=" + nodes.addressOf("c")))
          .satisfies(because(Reason.NOT_CHANGED))
          .hasMessageContaining("has never come");
      assertThat(nodes.get("a").shards())
          .allMatch(shard -> shard.copies().containsAll(List.of("a", "b", "c")));
      open(nodes, "c");
      nodes.awaitReady();
      write(nodes.get("c"));
    }
  }

  /** The first start of the list of c would be one of nodes that the others do not know. */
  @Test
  void thirdMemberWithAnotherListOrNumberOfShardsTakesNoPart() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b");
      nodes.awaitReady();
      write(nodes.get("a"));

      assertThatThrownBy(() -> nodes.openNode("c", options -> options.withShards(SHARDS + 1)))
          .satisfies(because(Reason.SHARDS));
      assertNotBegun("c");
      nodes.openNode("c", options -> options.members(withTheFourth(nodes)));
      awaitReason(nodes.get("c"), HealthReason.NO_MAJORITY, "waits to be added");
      assertNotBegun("c");

      // A member without copies is freed of them when the cluster is evened, and then added.
      ClusterRuntime asked = nodes.get("a");
      while (asked.members().contains("c")) {
        ((ClusterNode) asked).balancer().evenNow(_ -> {});
      }
      ThreeNodes.untilChanged(() -> asked.add("c=" + nodes.addressOf("c")));
      nodes.awaitReady();
      write(nodes.get("c"));
    }
  }

  /** It would invent other first copies, of which two that are empty could be a majority. */
  @Test
  void thirdMemberWithTheListOfLaterTakesNoPart() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "a", "b");
      nodes.awaitReady();
      write(nodes.get("a"));
      nodes.openFourth();
      ThreeNodes.untilChanged(() -> nodes.get("a").add(nodes.fourth()));
      nodes.get("d").awaitReady(Duration.ofMinutes(2));
      while (!nodes.get("b").members().contains("d")) {
        Polling.pause();
      }

      nodes.openNode("c", options -> options.members(withTheFourth(nodes)));
      awaitReason(nodes.get("c"), HealthReason.NO_MAJORITY, "waits to be added");
      assertNotBegun("c");
    }
  }

  /** It had heard that it has a copy, and ended before an owner asked it to take one. */
  @Test
  void addedNodeBeginsNoLogBeforeAnOwnerAsksForIt() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      NodeId d = new NodeId("d");
      Map<NodeId, InetSocketAddress> own = nodes.optionsOfFourth("test").addresses();
      Map<NodeId, String> logs = new HashMap<>();
      own.forEach((node, address) -> logs.put(node, new MemberAddress(node, address).logText()));
      Files.createDirectories(nodes.directoryOf("d"));
      try (NodeFile file =
          NodeFile.open(
              new FileDisk(),
              nodes.directoryOf("d"),
              "test",
              d,
              SHARDS,
              /* isAdded= */ true,
              new Random(1))) {
        MemberBook book = new MemberBook(file, d, own, SHARDS, LogEntry.VERSION);
        book.configured(0, Configuration.of(17, logs));
        assertThat(book.keeps(0)).isTrue();
      }

      nodes.openFourth();
      assertNotBegun("d");
    }
  }

  /** What one of them has begun with is what the other one said when they met. */
  @Test
  void nodeThatHasMetOthersBeginsWithNoOtherList() throws Exception {
    try (ThreeNodes nodes = prepare()) {
      open(nodes, "b", "c");
      awaitUnmet(nodes.get("b"), "Node b has not met a:");
      nodes.closeNode("b");

      String b = "b=" + nodes.addressOf("b");
      String c = "c=" + nodes.addressOf("c");
      assertThatThrownBy(
              () -> nodes.openNode("b", options -> options.members(b, c, nodes.fourth())))
          .satisfies(because(Reason.MEMBERS))
          .hasMessageContaining("a,b,c");
      assertNotBegun("b");
      open(nodes, "a", "b");
      nodes.awaitReady();
    }
  }
}
