package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.call.CallEvents;
import dev.holdfast.cluster.call.EndpointOptions;
import dev.holdfast.cluster.call.Members;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthReason;
import dev.holdfast.operator.OperatedRuntime;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with another list of members, or another time, says so, and begins no log. */
final class RefusedNodesTest {

  @TempDir private Path directory;

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, Counter.CounterObject::new);
  }

  @Test
  void nodeWithAnotherListIsRefusedAndJoinsWithTheRightOne() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.prepare(directory, 1, RefusedNodesTest::register)) {
      nodes.openNode("a");
      String a = "a=" + nodes.addressOf("a");
      String b = "b=" + nodes.addressOf("b");

      assertThatThrownBy(
              () -> {
                while (true) { // on a busy machine, a may not have answered when it is open
                  nodes.openNode("b", options -> options.members(a, b, nodes.fourth()));
                  nodes.closeNode("b");
                }
              })
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MEMBERS))
          .hasMessageContaining("Give all nodes the same");
      assertThat(directory.resolve("b/shards/0000/log")).doesNotExist();
      assertThat(nodes.get("a").shards()).allMatch(shard -> shard.owner() == null);

      nodes.openNode("b");
      nodes.openNode("c");
      nodes.awaitReady();
      Counter counter = nodes.get("b").namespace("counters", Counter.class).getByName("one");
      assertThat(ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), 0)).isOne();
    }
  }

  /** A refusal says what is wrong; where in the code it was found helps nobody. */
  @Test
  void refusalIsOneLineOfTheLog() throws Exception {
    List<LogRecord> lines = new CopyOnWriteArrayList<>();
    Logger log = Logger.getLogger("dev.holdfast");
    Filter before = log.getFilter();
    log.setFilter(
        line -> {
          lines.add(line);
          return true;
        });
    try (ThreeNodes nodes = ThreeNodes.prepare(directory, 1, RefusedNodesTest::register)) {
      nodes.openNode("a");
      try {
        nodes.openNode("b", options -> options.withShards(2));
      } catch (ClusterException e) {
        assertThat(e.reason()).isEqualTo(Reason.SHARDS);
      }
      while (lines.stream().noneMatch(RefusedNodesTest::isRefusal)) {
        Polling.pause();
      }
    } finally {
      log.setFilter(before);
    }
    assertThat(lines)
        .filteredOn(RefusedNodesTest::isRefusal)
        .allSatisfy(
            line -> {
              assertThat(line.getThrown()).isNull();
              assertThat(line.getMessage()).contains("shards");
            });
  }

  private static boolean isRefusal(LogRecord line) {
    return line.getMessage().contains("cannot work together");
  }

  @Test
  void stepsThatCannotBePlannedWithoutAMajorityAreAFailure() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.prepare(directory, 1, RefusedNodesTest::register)) {
      nodes.openNode("a");
      OperatorService asked = ((OperatedRuntime) nodes.get("a")).operations();

      assertThatThrownBy(
              () ->
                  asked.perform(
                      OperatorRequest.of("cluster-balance").with("dryRun", true), _ -> {}))
          .isInstanceOfSatisfying(
              OperatorException.class,
              thrown -> assertThat(thrown.reason()).isEqualTo(OperatorException.Reason.FAILED))
          .hasMessageContaining("A majority of the nodes does not answer.");
    }
  }

  /** As after a restart of all machines, of which one has another directory. */
  @Test
  void nodeThatHearsLateThatTheClusterExistsWithoutItSaysSoAndWaitsWhenItIsOpenedAgain()
      throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, 1, RefusedNodesTest::register)) {
      String[] four = {
        "a=" + nodes.addressOf("a"),
        "b=" + nodes.addressOf("b"),
        "c=" + nodes.addressOf("c"),
        nodes.fourth()
      };
      List.of("a", "b", "c").forEach(nodes::closeNode);
      nodes.openNode("d", options -> options.members(four));
      List.of("a", "b", "c").forEach(nodes::openNode);

      assertThatThrownBy(() -> nodes.get("d").awaitReady(Duration.ofMinutes(2)))
          .isInstanceOfSatisfying(
              ClusterException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_A_MEMBER));
      nodes.closeNode("d");
      nodes.openNode("d", options -> options.members(four));
      ThreeNodes.untilChanged(() -> nodes.get("a").add(nodes.fourth()));
      nodes.awaitReady();
    }
  }

  /** A clock with another time of day. */
  private record Wall(TimeSource time, Duration ahead) implements TimeSource {

    @Override
    public long wallMillis() {
      return time.wallMillis() + ahead.toMillis();
    }

    @Override
    public long monotonicNanos() {
      return time.monotonicNanos();
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
      return time.schedule(delayNanos, task);
    }
  }

  private record Named(Map<NodeId, InetSocketAddress> addresses) implements Members {

    @Override
    public List<NodeId> nodes() {
      return addresses.keySet().stream().sorted(Comparator.comparing(NodeId::name)).toList();
    }

    @Override
    public Optional<InetSocketAddress> addressOf(NodeId node) {
      return Optional.ofNullable(addresses.get(node));
    }

    @Override
    public OptionalLong incarnationOf(NodeId node) {
      return OptionalLong.empty();
    }

    @Override
    public boolean met(NodeId node, long incarnation, long opening) {
      return true;
    }
  }

  /** Opens what other nodes meet of b, with a clock of its own. */
  private static CallEndpoint endpointOfB(ThreeNodes nodes, TimeSource time) {
    ClusterOptions b = nodes.options("b");
    return CallEndpoint.open(
        new EndpointOptions(
            b.cluster(),
            b.self(),
            /* incarnation= */ 1,
            /* opening= */ 1,
            /* lineage= */ 0,
            b.shards(),
            Objects.requireNonNull(b.addresses().get(b.self())),
            b.tls(),
            /* plaintextOnAnyNetwork= */ false,
            b.failover()),
        new Named(b.addresses()),
        time,
        call -> {
          throw new AssertionError("nobody calls b");
        },
        CallEvents.NONE);
  }

  @Test
  void nodeWhoseClockIsFarOffIsRefusedWhenItIsOpened() throws Exception {
    try (SystemTimeSource time = new SystemTimeSource();
        ThreeNodes nodes = ThreeNodes.prepare(directory, 1, RefusedNodesTest::register)) {
      try (CallEndpoint _ = endpointOfB(nodes, new Wall(time, Duration.ofSeconds(9)))) {
        assertThatThrownBy(
                () -> {
                  while (true) { // on a busy machine, b may not have answered when a is open
                    nodes.openNode("a");
                    nodes.closeNode("a");
                  }
                })
            .isInstanceOfSatisfying(
                ClusterException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOCK))
            .hasMessageContaining("The clock of node b is ")
            .hasMessageContaining("ms ahead of the clock of node a; at most 5000 are allowed")
            .hasMessageContaining("Set the clocks, and open the node again.");
      }
      assertThat(directory.resolve("a/shards/0000/log")).doesNotExist();
      try (CallEndpoint _ = endpointOfB(nodes, new Wall(time, Duration.ofSeconds(4)))) {
        nodes.openNode("a");
        assertThat(nodes.get("a").health().reasons())
            .extracting(HealthReason::code)
            .doesNotContain(HealthReason.NODE_REFUSED);
      }
    }
  }
}
