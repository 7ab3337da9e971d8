package dev.holdfast.log.ratis;

import dev.holdfast.log.ratis.threads.RatisInternals;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
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

  /** What connections that are just made have at least: a busy machine needs it for TLS. */
  private static final long CONNECT_NANOS = 5_000_000_000L;

  /** With a shorter failover, a busy machine would have no connections any more. */
  private static final long SILENCE_NANOS_MIN = 2_000_000_000;

  /** How long an address is looked at; a machine that refuses says so at once. */
  private static final int CONNECT_MILLIS_MAX = 500;

  private final long silenceNanosMax;

  /**
   * @param nanos when a node was heard last in any shard, or its connections were given up
   * @param isHeard whether it was heard after that
   */
  private record Since(long nanos, boolean isHeard) {}

  private final Map<RaftPeerId, Since> since = new HashMap<>(); // guarded by this

  LogConnections(Duration silenceMax) {
    this.silenceNanosMax = Math.max(silenceMax.toNanos(), SILENCE_NANOS_MIN);
  }

  /**
   * Looks at the nodes that this one feeds.
   *
   * @param heardNanos when each of them was heard last, on the monotonic clock. Of a new leader,
   *     that may be long ago: a node that was not fed before has some time
   * @param nowNanos the time
   * @return those whose connections are to be given up
   */
  synchronized List<RaftPeerId> silent(Map<RaftPeerId, Long> heardNanos, long nowNanos) {
    since.keySet().retainAll(heardNanos.keySet());
    List<RaftPeerId> silent = new ArrayList<>();
    heardNanos.forEach(
        (peer, heard) -> {
          Since before = since.getOrDefault(peer, new Since(nowNanos, /* isHeard= */ false));
          Since last = heard - before.nanos() > 0 ? new Since(heard, /* isHeard= */ true) : before;
          long nanosMax =
              last.isHeard() ? silenceNanosMax : Math.max(silenceNanosMax, CONNECT_NANOS);
          boolean isSilent = nowNanos - last.nanos() >= nanosMax;
          if (isSilent) {
            silent.add(peer);
          }
          since.put(peer, isSilent ? new Since(nowNanos, /* isHeard= */ false) : last);
        });
    return silent;
  }

  /** {@return whether this node feeds another one, and has heard it} */
  synchronized boolean hears(RaftPeerId peer, long nowNanos) {
    Since last = since.get(peer);
    return last != null && last.isHeard() && nowNanos - last.nanos() < silenceNanosMax;
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

  /**
   * Looks whether a process listens at an address. Blocks for a moment.
   *
   * @param address host and port
   * @return whether its machine says that none does; false if nothing answers
   */
  static boolean isRefused(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 0) {
      return false; // it is no member any more
    }
    int port = Integer.parseInt(address.substring(colon + 1));
    try (Socket connection = new Socket()) {
      connection.connect(
          new InetSocketAddress(address.substring(0, colon), port), CONNECT_MILLIS_MAX);
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      return false; // no answer in time, or no way to the machine
    }
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
