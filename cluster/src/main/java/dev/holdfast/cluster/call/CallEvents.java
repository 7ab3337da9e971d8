package dev.holdfast.cluster.call;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.spi.log.NodeId;

/**
 * What an endpoint reports about its connections, for logs and statistics. Called by the threads of
 * connections; short, and never throws. Thread-safe.
 */
public interface CallEvents {

  /** Reports nothing. */
  CallEvents NONE = new CallEvents() {};

  /**
   * A connection can be used.
   *
   * @param peer the other node
   * @param outgoing whether this node has opened it
   * @param clockAheadMillis how far the clock of the other node is ahead of this one's, plus the
   *     time that the message took
   */
  default void connected(NodeId peer, boolean outgoing, long clockAheadMillis) {}

  /**
   * A connection has ended, or could not be opened.
   *
   * @param peer the other node
   * @param outgoing whether this node had opened it
   * @param why the reason
   */
  default void disconnected(NodeId peer, boolean outgoing, ClusterException why) {}

  /**
   * A connection that another machine has opened was not accepted.
   *
   * @param why the reason, with the address
   */
  default void refused(ClusterException why) {}

  /**
   * Certificates have changed and cannot be used; the earlier ones stay in use.
   *
   * @param why the reason, with the file
   */
  default void certificatesUnusable(ClusterException why) {}
}
