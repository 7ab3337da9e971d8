package dev.holdfast.cluster.call;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Writes to the log which callers were refused, and which certificates cannot be used: each reason
 * once a minute, because strangers call as often as they like, and each node that waits to be added
 * once, of the first hundred. Thread-safe.
 */
public final class RefusedCallers implements CallEvents {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final long QUIET_NANOS = 60_000_000_000L;

  /** Without certificates, a caller chooses its name. */
  private static final int WAITING_MAX = 100;

  private final NodeId self;
  private final TimeSource time;
  private final Map<Reason, Long> written = new EnumMap<>(Reason.class); // guarded by this
  private final Set<String> waiting = new HashSet<>(); // guarded by this

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
    if (why.getCause() instanceof ConnectionErrors.WaitsToBeAdded) {
      if (isNew(why)) {
        LOG.log(Level.INFO, "{0}", why.getMessage());
      }
      return;
    }
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

  /** Of more names than are remembered, each may be a new one. */
  private synchronized boolean isNew(ClusterException why) {
    return waiting.size() < WAITING_MAX
        ? waiting.add(String.valueOf(why.getMessage()))
        : isDue(why.reason());
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
