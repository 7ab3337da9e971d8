package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthState;
import dev.holdfast.spi.log.NodeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients follow the members, which come and go. Without TLS. */
@Timeout(200)
class FollowingClientTest {

  private static final int OBJECTS = 24;

  @TempDir private Path directory;

  private final Map<String, Long> counts = new TreeMap<>();

  private static void register(ObjectRegistrar objects) {
    objects.namespace("counters", Counter.class, Counter.CounterObject::new);
  }

  private static ClusterOptions options(ManyNodes nodes, String member) {
    return ClusterOptions.of("many").client("web").members(nodes.member(member));
  }

  private static ClusterClient connect(ClusterOptions options) {
    return ClusterHoldfast.connect(
        options, objects -> objects.namespace("counters", Counter.class));
  }

  private void add(ClusterClient client) {
    ObjectNamespace<Counter> counters = client.namespace("counters", Counter.class);
    for (int i = 0; i < OBJECTS; i++) {
      Counter counter = counters.getByName("n" + i);
      long before = counts.getOrDefault("n" + i, 0L);
      counts.put("n" + i, ThreeNodes.addedOnce(() -> counter.add(1), () -> counter.add(0), before));
    }
  }

  private static void awaitMembers(ClusterClient client, String... names) {
    while (!client.members().equals(List.of(names))) {
      Polling.pause();
    }
  }

  @Test
  void fiveNodesWithThreeCopiesAreFollowed() throws Exception {
    try (ManyNodes nodes =
        new ManyNodes(
            directory,
            5,
            List.of("a", "b", "c", "d", "e"),
            List.of(),
            FollowingClientTest::register)) {
      for (String each : List.of("a", "b", "c", "d", "e")) {
        nodes.openNode(each, options -> options.withReplicas(3));
      }
      nodes.awaitReady();
      try (ClusterClient client = connect(options(nodes, "a"))) {
        assertThat(client.awaitReady(Duration.ofMinutes(1))).isTrue();
        assertThat(client.members()).containsExactly("a", "b", "c", "d", "e");
        add(client);
        nodes.closeNode("e");
        add(client);
        nodes.openNode("e");
        nodes.even("b");
        add(client);
        assertThat(client.health().state()).isEqualTo(HealthState.UP);
      }
    }
  }

  @Test
  @SuppressWarnings("try") // closed in the middle
  void nodesThatComeAndGoAreFollowed() throws Exception {
    try (ManyNodes nodes =
        new ManyNodes(
            directory, 3, List.of("a", "b", "c"), List.of("d"), FollowingClientTest::register)) {
      nodes.openFirst();
      nodes.openNode("d");
      assertThatThrownBy(
              () -> connect(options(nodes, "d").withRouteTimeout(Duration.ofMillis(500))))
          .isInstanceOfSatisfying(
              ClusterException.class,
              e -> assertThat(e.reason()).isEqualTo(ClusterException.Reason.UNREACHABLE))
          .hasMessageContaining("waits to be added to the cluster many, and takes no clients");
      try (ClusterClient client =
          connect(options(nodes, "a").withRouteTimeout(Duration.ofMinutes(10)))) {
        add(client);
        nodes.get("a").add(nodes.member("d"));
        nodes.even("b");
        add(client);
        awaitMembers(client, "a", "b", "c", "d");

        // The only one that the options of the client know.
        ThreeNodes.untilChanged(() -> nodes.get("b").remove("a"));
        nodes.closeNode("a");
        awaitMembers(client, "b", "c", "d");
        add(client);
        assertThat(((ConnectedClient) client).endpoint().isConnectedTo(new NodeId("a"))).isFalse();
        assertThat(client.health().state()).isEqualTo(HealthState.UP);

        nodes.all().values().forEach(ClusterRuntime::close);
        while (client.health().state() != HealthState.DOWN) {
          Polling.pause(); // it asks every five seconds
        }
        assertThat(client.health().reasons().getFirst().toString())
            .contains("No member answers client web");
        CompletableFuture<Long> waits =
            client.namespace("counters", Counter.class).stub("n0").async(each -> each.add(1));
        client.close();
        assertThatThrownBy(waits::join)
            .cause()
            .isInstanceOfSatisfying(
                ObjectUnavailableException.class,
                e -> assertThat(e.delivery()).isEqualTo(Delivery.NOT_DELIVERED));
      }
    }
  }
}
