package dev.holdfast.log.ratis;

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
import java.util.Map;
import java.util.Objects;
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
  private static final Duration FAILOVER = Duration.ofSeconds(4);

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
      // The members know the address of their first leader as it does.
      NodeId follower =
          ThreeNodes.NAMES.stream()
              .filter(node -> !node.equals(leader) && proxy(leader, node).connections() > 0)
              .findFirst()
              .orElseThrow();
      ThreeNodes.NAMES.stream()
          .filter(node -> !node.equals(leader) && !node.equals(follower))
          .forEach(shard::stop);

      long index = shard.replica(leader).lastIndex() + 1;
      proxy(leader, follower).swallowToCaller();
      shard
          .log(leader)
          .propose(
              ByteBuffer.wrap("last            ".getBytes(StandardCharsets.US_ASCII)), () -> {});
      while (shard.log(follower).termOf(index).isEmpty()) {
        Thread.onSpinWait();
      }
      proxy(leader, follower).cutNow();
      proxy(leader, follower).heal();

      shard.watched.await("last", () -> shard.replica(leader).has("last"));
    }
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
    return RatisOptions.onLoopback(
            options.cluster(), options.node(), options.directory(), Map.copyOf(members))
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
