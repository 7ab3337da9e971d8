package dev.holdfast.log.ratis;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;

/**
 * The connections of the logs of one node to others, which all of its shards share. Those that are
 * silent are given up and made new: what was sent while the network was cut waits for TCP to send
 * it again, which waits twice as long after each try, long after the network is whole. Ratis has no
 * option for that, and the thread that feeds a member waits for its connection. Thread-safe.
 */
final class LogConnections {

  /** The fields of Ratis that have the connections to a node: of entries, and of heartbeats. */
  private static final String[] CHANNELS = {"channel", "hbChannel"};

  private final long silenceNanosMax;

  /** When a node was heard last in any shard, or its connections were given up. */
  private final Map<RaftPeerId, Long> sinceNanos = new HashMap<>(); // guarded by this

  LogConnections(Duration silenceMax) {
    this.silenceNanosMax = silenceMax.toNanos();
  }

  /**
   * Looks at the nodes that this one feeds.
   *
   * @param heardNanos when each of them was heard last, on the monotonic clock. Of a new leader,
   *     that may be long ago: a node that was not fed before has some time
   * @param nowNanos the time
   * @return those whose connections are to be given up; the next ones have the same time
   */
  synchronized List<RaftPeerId> silent(Map<RaftPeerId, Long> heardNanos, long nowNanos) {
    sinceNanos.keySet().retainAll(heardNanos.keySet());
    List<RaftPeerId> silent = new ArrayList<>();
    heardNanos.forEach(
        (peer, heard) -> {
          long before = sinceNanos.getOrDefault(peer, nowNanos);
          long last = heard - before > 0 ? heard : before;
          boolean isSilent = nowNanos - last >= silenceNanosMax;
          if (isSilent) {
            silent.add(peer);
          }
          sinceNanos.put(peer, isSilent ? nowNanos : last);
        });
    return silent;
  }

  /** {@return whether this node feeds another one, and has heard it} */
  synchronized boolean hears(RaftPeerId peer, long nowNanos) {
    Long since = sinceNanos.get(peer);
    return since != null && nowNanos - since < silenceNanosMax;
  }

  /**
   * Ends the connections to a node, and lets Ratis make others. Returns at once.
   *
   * @param server has them
   * @param peer the node
   * @param why the reason, for the log of Ratis
   */
  static void giveUp(GrpcServicesImpl server, RaftPeerId peer, String why) {
    Thread.ofVirtual().name("holdfast-log-reconnect").start(() -> giveUpNow(server, peer, why));
  }

  private static void giveUpNow(GrpcServicesImpl server, RaftPeerId peer, String why) {
    try {
      // First, as Ratis would wait for the end of what is under way.
      Object old = server.getProxies().getProxy(peer);
      for (String each : CHANNELS) {
        if (RatisInternals.valueOf(old, each) instanceof ManagedChannel channel) {
          channel.shutdownNow();
        }
      }
    } catch (IOException e) {
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.DEBUG, "There is no connection to " + peer, e);
    }
    server.handleException(peer, new IOException(why), /* reconnect= */ true);
  }
}
