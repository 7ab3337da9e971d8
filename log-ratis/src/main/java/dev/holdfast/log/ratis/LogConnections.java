package dev.holdfast.log.ratis;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.util.TimeDuration;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The connections of the logs of one node to others, which all of its shards share. One that is
 * silent is given up and made new: what was sent while the network was cut waits for TCP to send it
 * again, which waits twice as long after each try, long after the network is whole. Ratis has no
 * option for that. Thread-safe.
 */
final class LogConnections {

  static final String PARAMETER = "holdfast.log.connections";

  /** The fields of Ratis that have the connections to a node: of entries, and of heartbeats. */
  private static final String[] CHANNELS = {"channel", "hbChannel"};

  /** When a node was heard last in any shard, or its connections were given up. */
  private final Map<RaftPeerId, Timestamp> since = new ConcurrentHashMap<>();

  /**
   * Returns whether the connections to a node are to be given up now. Then the next ones have the
   * same time.
   *
   * @param peer the node
   * @param heard when one shard has heard of it last; null if none asks
   * @param silenceMax how long it may be silent in all shards
   * @return whether it was silent for longer
   */
  boolean isSilent(RaftPeerId peer, @Nullable Timestamp heard, TimeDuration silenceMax) {
    AtomicBoolean isSilent = new AtomicBoolean();
    since.compute(
        peer,
        (_, before) -> {
          Timestamp last = before;
          if (heard != null && (last == null || heard.compareTo(last) > 0)) {
            last = heard;
          }
          if (last != null && last.elapsedTime().compareTo(silenceMax) < 0) {
            return last;
          }
          isSilent.set(true);
          return Timestamp.currentTime();
        });
    return isSilent.get();
  }

  /**
   * Ends the connections to a node, and lets Ratis make others. Returns at once.
   *
   * @param server has them
   * @param peer the node
   * @param why the reason, for the log of Ratis
   */
  static void giveUp(GrpcServicesImpl server, RaftPeerId peer, String why) {
    Thread.ofVirtual()
        .name("holdfast-log-reconnect")
        .start(
            () -> {
              // First, as Ratis would wait for the end of what is under way.
              try {
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
            });
  }
}
