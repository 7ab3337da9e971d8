package dev.holdfast.log.ratis;

import dev.holdfast.log.ratis.threads.RatisInternals;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.JvmPauseMonitor;

/**
 * The server that all shards of a node share, and what its requests name.
 *
 * @param server the server
 * @param self this node
 * @param client this node as the one that asks
 * @param calls the number of the last request
 * @param options how the node takes part
 * @param joined the shards that hear other members
 */
record NodeServer(
    RaftServer server,
    RaftPeerId self,
    ClientId client,
    AtomicLong calls,
    RatisOptions options,
    JoinedShards joined) {

  /**
   * Lets it listen. Ratis asks the collectors of the JVM three times a second for how long they
   * have stopped it, and a leader gives up what it leads after a pause. Terms and leases do not
   * depend on that, and a leader that was silent for too long has been replaced.
   *
   * @throws IOException if the address is in use
   */
  void start() throws IOException {
    server.start();
    ((JvmPauseMonitor) RatisInternals.valueOf(server, "pauseMonitor")).stop();
  }

  long nextCall() {
    return calls.incrementAndGet();
  }

  static RaftPeerId idOf(NodeId node) {
    return RaftPeerId.valueOf(node.name());
  }

  static List<RaftPeer> peers(Map<NodeId, String> members) {
    return members.entrySet().stream()
        .map(
            member ->
                RaftPeer.newBuilder()
                    .setId(idOf(member.getKey()))
                    .setAddress(member.getValue())
                    .build())
        .toList();
  }
}
