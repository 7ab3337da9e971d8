package dev.holdfast.cluster.errors;

import dev.holdfast.HoldfastException;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * This node and another one could not work together, or this node's part in a cluster is configured
 * wrongly. No call was begun by the failure itself.
 */
public final class ClusterException extends HoldfastException {

  /** What is wrong. */
  public enum Reason {
    /** No connection to the node could be made: its process, its machine or the network is down. */
    UNREACHABLE,
    /** The connection to the node ended, or the node was silent for too long. */
    CONNECTION_LOST,
    /** The node belongs to a cluster of another name. */
    CLUSTER_NAME,
    /** Another node than the expected one answers at the address. */
    NODE_ID,
    /** A node of this name is a member, with another data directory, or a client has its name. */
    INCARNATION,
    /** The node has another list of members. */
    MEMBERS,
    /** The node has another number of shards. */
    SHARDS,
    /**
     * The cluster was recovered from the copy of another node, and the directory is one of before.
     */
    RECOVERED,
    /** The node was removed from the cluster; its directory and its name are of no use any more. */
    REMOVED,
    /** The node waits to be added, and has not opened its logs yet. */
    STARTING,
    /** The node is a member already. */
    ALREADY_MEMBER,
    /** The cluster would have fewer than 3 members, or a shard too many copies. */
    MEMBER_COUNT,
    /** The change needs more members than can be reached. */
    NO_MAJORITY,
    /** The members of a shard could not be changed, or not in time. */
    NOT_CHANGED,
    /** The clocks of the two nodes differ by more than 5 seconds. */
    CLOCK,
    /** A shard could not be moved to another node. */
    NOT_MOVED,
    /** The node is no member of the cluster. */
    NOT_A_MEMBER,
    /** The two nodes have no version of the protocol in common. */
    VERSION,
    /** A certificate has expired, or is not valid yet. */
    CERTIFICATE_EXPIRED,
    /** A certificate is not signed by the authority of the cluster. */
    CERTIFICATE_REFUSED,
    /** A certificate does not name the node that shows it. */
    CERTIFICATE_NAME,
    /** A file with a certificate or a key cannot be used. */
    TLS_FILES,
    /** There are no certificates, and an address is not one of this machine alone. */
    PLAINTEXT,
    /** The node sent bytes that the protocol does not allow. */
    PROTOCOL,
    /** This node's part in the cluster is closed. */
    CLOSED,
    /** A client of the cluster may not do this; a member may. */
    NOT_ALLOWED,
    /** A cluster does not offer the operation. */
    UNSUPPORTED
  }

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;

  /**
   * Creates the exception.
   *
   * @param reason what is wrong
   * @param message what happened, with which node or file, and what to do
   * @param cause the reason, or null
   */
  public ClusterException(Reason reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** {@return what is wrong} */
  public Reason reason() {
    return reason;
  }
}
