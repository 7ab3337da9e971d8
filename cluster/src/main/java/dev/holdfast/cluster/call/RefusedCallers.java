package dev.holdfast.cluster.call;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Map;

/**
 * Writes to the log which callers were refused, and which certificates cannot be used: each reason
 * once a minute, because strangers call as often as they like. Thread-safe.
 */
public final class RefusedCallers implements CallEvents {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final long QUIET_NANOS = 60_000_000_000L;

  private final NodeId self;
  private final TimeSource time;
  private final Map<Reason, Long> written = new EnumMap<>(Reason.class); // guarded by this

  /**
   * Creates it.
   *
   * @param self this node
   * @param time the clock
   */
  public RefusedCallers(NodeId self, TimeSource time) {
    this.self = self;
    this.time = time;
  }

  @Override
  public void refused(ClusterException why) {
    switch (why.reason()) {
      case CONNECTION_LOST, STARTING, CLOSED -> {
        // A node that is started or stopped; it is met later.
      }
      default -> write(why, "Node {0} has refused a caller. {1}");
    }
  }

  @Override
  public void certificatesUnusable(ClusterException why) {
    write(why, "Node {0} goes on with its earlier certificate. {1}");
  }

  private void write(ClusterException why, String line) {
    if (isDue(why.reason())) {
      LOG.log(Level.WARNING, line, self, why.getMessage());
    }
  }

  private synchronized boolean isDue(Reason reason) {
    long now = time.monotonicNanos();
    Long last = written.get(reason);
    boolean isDue = last == null || now - last >= QUIET_NANOS;
    if (isDue) {
      written.put(reason, now);
    }
    return isDue;
  }
}
