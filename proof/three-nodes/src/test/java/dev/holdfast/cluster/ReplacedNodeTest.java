package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A node of a running cluster is replaced by another one. */
class ReplacedNodeTest {

  private static final Duration LONG = Duration.ofMinutes(2);

  /** To open and close a node takes a second or more. */
  private static final boolean LONG_RUN = "long".equals(System.getProperty("holdfast.tests"));

  @TempDir private Path directory;

  private final Map<String, Long> acknowledged = new TreeMap<>();

  private static void register(ObjectRegistrar objects) {
    objects.namespace("sql", Counter.class, Counter.CounterObject::new);
    objects.namespace(
        "keys",
        Counter.class,
        Counter.CounterObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  private void write(ClusterRuntime node) {
    for (String namespace : List.of("sql", "keys")) {
      ObjectNamespace<Counter> counters = node.namespace(namespace, Counter.class);
      for (int i = 0; i < 6; i++) {
        String name = namespace + i;
        long expected = acknowledged.merge(name, 1L, Long::sum);
        Counter counter = counters.getByName(name);
        long count = ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), expected - 1);
        assertThat(count).as(name).isEqualTo(expected);
      }
    }
  }

  private static void assertRefused(ThrowingCallable change, Reason reason, String why) {
    assertThatThrownBy(change)
        .isInstanceOfSatisfying(
            ClusterException.class, thrown -> assertThat(thrown.reason()).isEqualTo(reason))
        .hasMessageContaining(why);
  }

  private static void awaitMembers(ClusterRuntime node, String... members) {
    while (!node.members().equals(List.of(members))) {
      Polling.pause();
    }
  }

  @Test
  void nodeIsAddedAnotherIsRemovedAndAThirdMayBeLost() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, 2, ReplacedNodeTest::register)) {
      ClusterRuntime a = nodes.get("a");
      write(a);
      refusals(nodes);

      ClusterRuntime d = nodes.openFourth();
      assertThat(d.members()).containsExactly("a", "b", "c");
      assertThat(d.awaitReady(Duration.ofMillis(1))).isFalse();
      assertThat(d.health().reasons())
          .filteredOn(each -> each.state() == HealthState.DOWN)
          .extracting(HealthReason::text)
          .anyMatch(text -> text.contains("waits to be added"));
      assertRefused(() -> d.remove("c"), Reason.NOT_A_MEMBER, "waits to be added itself");

      ThreeNodes.untilChanged(() -> ((ClusterNode) a).owners().of(0).addMember(nodes.fourth()));
      ClusterRuntime added = d;
      if (LONG_RUN) {
        nodes.closeNode("d");
        added = nodes.openFourth();
      }
      assertThat(added.awaitReady(LONG)).isTrue();
      assertRefused(() -> a.add(nodes.fourth()), Reason.ALREADY_MEMBER, "already");
      for (String name : nodes.names()) {
        awaitMembers(nodes.get(name), "a", "b", "c", "d");
      }
      write(added);
      ThreeNodes.move(added, 0, "d");
      write(nodes.get("c"));

      // As a removal that was interrupted, or is under way on another node.
      NodeId leaving = new NodeId("d");
      Balancer balancer = ((ClusterNode) nodes.get("b")).balancer();
      balancer.change(rules -> rules.leaving(new NodeId("b"), leaving, /* leaves= */ true));
      assertRefused(() -> a.remove("c"), Reason.MEMBER_COUNT, "Add another node before c");
      a.add(nodes.fourth()); // withdraws it
      assertThat(balancer.look().rules().leaving()).isEmpty();

      nodes.move(1, "c"); // it is moved from there when c is removed
      ThreeNodes.untilChanged(() -> removeFrom(0, "c", (ClusterNode) a));
      ThreeNodes.untilChanged(() -> a.remove("c"));
      awaitMembers(a, "a", "b", "d");
      awaitRemoved(nodes, "c");
      write(added);
      assertRemoved(nodes, "c");

      nodes.closeNode("b");
      write(a); // a and d are a majority of a, b and d; a alone was one of a, b and c
      if (LONG_RUN) {
        nodes.openNode("b"); // with the members of the beginning, which it has not any more
        awaitMembers(nodes.get("b"), "a", "b", "d");
        nodes.awaitReady();
        write(nodes.get("b"));
      }
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void clusterOfOneThatWasRecoveredGrows() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, ReplacedNodeTest::register);
    ClusterOptions alone = nodes.alone();
    try (ClusterRuntime a = ClusterHoldfast.open(nodes.directoryOf("a"), alone, nodes.objects())) {
      assertThat(a.awaitReady(LONG)).isTrue();
      write(a);
    }
    ClusterHoldfast.recover(nodes.directoryOf("a"), false);
    ClusterOptions waiting =
        nodes.optionsOfFourth("test").members("a=" + nodes.addressOf("a")); // of another lineage
    try (ClusterRuntime a = ClusterHoldfast.open(nodes.directoryOf("a"), alone, nodes.objects());
        ClusterRuntime d = ClusterHoldfast.open(nodes.directoryOf("d"), waiting, nodes.objects())) {
      assertThat(a.awaitReady(LONG)).isTrue();
      ThreeNodes.untilChanged(() -> a.add(nodes.fourth()));
      assertThat(d.awaitReady(LONG)).isTrue();
      assertThat(d.members()).containsExactly("a", "d");
      write(d);
      ThreeNodes.move(d, 0, "d"); // its copy has what was written before the new log began
      write(d);
      assertRefused(() -> a.remove("d"), Reason.MEMBER_COUNT, "keeps at least 3");
    }
  }

  private static void removeFrom(int shard, String node, ClusterNode asked) {
    if (!asked.owners().of(shard).removeCopy(node, 3)) {
      asked.owners().of(shard).transfer("a");
      throw new ClusterException(Reason.NOT_CHANGED, "It is moved first.", null);
    }
  }

  private static void refusals(ThreeNodes nodes) {
    ClusterRuntime a = nodes.get("a");
    assertRefused(() -> a.remove("c"), Reason.MEMBER_COUNT, "Add another node before c");
    assertRefused(() -> a.remove("x"), Reason.NOT_A_MEMBER, "the members are [a, b, c]");
    assertRefused(() -> a.remove("a"), Reason.UNSUPPORTED, "Ask another member");
    assertRefused(() -> a.add(nodes.fourth()), Reason.UNREACHABLE, "There is no connection to");
    assertRefused(() -> a.add("c=127.0.0.1:1"), Reason.ALREADY_MEMBER, "Node c is a member");
    assertThatThrownBy(() -> a.add("d")).isInstanceOf(IllegalArgumentException.class);
    assertThat(a.members()).containsExactly("a", "b", "c");
    assertRefused(
        () ->
            ClusterHoldfast.open(
                nodes.directoryOf("of-another-cluster"),
                nodes.optionsOfFourth("other"),
                ReplacedNodeTest::register),
        Reason.CLUSTER_NAME,
        "Correct the name");
  }

  private static void awaitRemoved(ThreeNodes nodes, String node) {
    ClusterRuntime removed = nodes.get(node);
    while (removed.health().reasons().stream()
        .noneMatch(
            each -> each.state() == HealthState.DOWN && each.text().contains("was removed from"))) {
      Polling.pause();
    }
    assertRefused(
        () -> removed.awaitReady(LONG), Reason.REMOVED, "another name and an empty directory");
    nodes.closeNode(node);
  }

  /** When it opens, or a little later if the others are slow to answer. */
  private static void assertRemoved(ThreeNodes nodes, String node) {
    try {
      nodes.openNode(node);
    } catch (ClusterException e) {
      assertThat(e.reason()).isEqualTo(Reason.REMOVED);
      assertThat(e).hasMessageContaining("another name and an empty directory");
      return;
    }
    awaitRemoved(nodes, node);
  }
}
