package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.Polling;
import dev.holdfast.faults.TcpProxy;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An entry that a follower has, and whose acknowledgement was lost with a connection, is accepted
 * although no entry follows it. The first entry of a new leader is such a one: without it the
 * leader takes no proposal.
 */
final class LostAcknowledgementTest {

  /** Longer than the test is deaf for, so that the leader stays. */
  private static final Duration FAILOVER = Duration.ofSeconds(2);

  @TempDir private Path directory;

  private final Map<NodeId, Map<NodeId, TcpProxy>> proxies = new HashMap<>();

  @AfterEach
  void closeProxies() throws IOException {
    for (Map<NodeId, TcpProxy> ofNode : proxies.values()) {
      for (TcpProxy proxy : ofNode.values()) {
        proxy.close();
      }
    }
  }

  @Test
  void lastEntryIsAcceptedThoughItsAcknowledgementWasLost() {
    try (ThreeNodes cluster = ThreeNodes.open(directory, this::behindProxies)) {
      OneShard shard = new OneShard(cluster, 0);
      shard.append("before", 16);
      NodeId leader = shard.leader();
      NodeId follower = follower(leader);
      ThreeNodes.NAMES.stream()
          .filter(node -> !node.equals(leader) && !node.equals(follower))
          .forEach(shard::stop);

      loseAcknowledgement(shard, leader, follower);

      shard.watched.await("last", () -> shard.replica(leader).has("last"));
    }
  }

  /** A leader passes the shard on only to a member that has acknowledged all that it has. */
  @Test
  void memberWhoseAcknowledgementWasLostMayLead() {
    try (ThreeNodes cluster = ThreeNodes.open(directory, this::behindProxies)) {
      OneShard shard = new OneShard(cluster, 0);
      shard.append("before", 16);
      NodeId leader = shard.leader();
      NodeId follower = follower(leader);

      loseAcknowledgement(shard, leader, follower);

      shard.watched.await("last at the follower", () -> shard.replica(follower).has("last"));
      shard.log(leader).transferTo(follower);
      shard.watched.await("the transfer", () -> shard.replica(follower).leads());
      assertThat(shard.replica(follower).texts()).containsExactly("before", "last");
    }
  }

  /**
   * A partition that is known while it lasts. After it, TCP sends again what was lost when nobody
   * waits for it any more.
   */
  @Test
  void memberWhoseConnectionsAreSilentIsFedByOthers() {
    try (ThreeNodes cluster = ThreeNodes.open(directory, this::behindProxies)) {
      OneShard shard = new OneShard(cluster, 0);
      shard.append("before", 16);
      NodeId leader = shard.leader();
      NodeId follower = follower(leader);

      ThreeNodes.NAMES.stream()
          .filter(node -> !node.equals(follower))
          .forEach(
              node -> {
                for (TcpProxy each : List.of(proxy(node, follower), proxy(follower, node))) {
                  each.strand();
                  each.swallow();
                }
              });
      while (!shard.log(leader).unfed().equals(Set.of(follower))
          || !shard.log(follower).hearsNoLeader()) {
        Polling.pause();
      }
      proxies.values().forEach(each -> each.values().forEach(TcpProxy::heal));

      shard.append("after", 16); // everywhere
      assertThat(shard.replica(follower).texts()).containsExactly("before", "after");
      while (shard.log(follower).hearsNoLeader() || !shard.log(shard.leader()).unfed().isEmpty()) {
        Polling.pause();
      }
    }
  }

  /**
   * {@return one that the leader reaches by a proxy: the others know their first leader's address}
   */
  private NodeId follower(NodeId leader) {
    return ThreeNodes.NAMES.stream()
        .filter(node -> !node.equals(leader) && proxy(leader, node).connections() > 0)
        .findFirst()
        .orElseThrow();
  }

  /** Proposes an entry that the follower has, and breaks the connections before it says so. */
  private void loseAcknowledgement(OneShard shard, NodeId leader, NodeId follower) {
    long index = shard.replica(leader).lastIndex() + 1;
    proxy(leader, follower).swallowToCaller();
    shard
        .log(leader)
        .propose(ByteBuffer.wrap("last            ".getBytes(StandardCharsets.US_ASCII)), () -> {});
    while (shard.log(follower).termOf(index).isEmpty()) {
      Polling.pause();
    }
    proxy(leader, follower).cutNow();
    proxy(leader, follower).heal();
  }

  private TcpProxy proxy(NodeId from, NodeId to) {
    return Objects.requireNonNull(Objects.requireNonNull(proxies.get(from)).get(to));
  }

  private RatisOptions behindProxies(RatisOptions options) {
    Map<NodeId, TcpProxy> others = new HashMap<>();
    Map<NodeId, InetSocketAddress> members = new HashMap<>(options.members());
    members.replaceAll(
        (node, address) ->
            node.equals(options.node())
                ? address
                : others.computeIfAbsent(node, _ -> proxyOf(address)).address());
    proxies.put(options.node(), others);
    return RatisOptions.onLoopback(options.cluster(), options.node(), options.directory(), members)
        .withFailover(FAILOVER);
  }

  private static TcpProxy proxyOf(InetSocketAddress address) {
    try {
      return new TcpProxy(address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
