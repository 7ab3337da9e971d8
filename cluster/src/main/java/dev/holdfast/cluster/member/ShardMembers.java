package dev.holdfast.cluster.member;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/**
 * Changes which nodes keep a shard, at the node that owns it. A change that is there already has no
 * effect, so each can be repeated. Thread-safe.
 */
public final class ShardMembers {

  /** Fewer members could lose a majority with one machine; one and two grow. */
  public static final int MEMBERS_MIN = 3;

  /** Each write waits for a majority of them. */
  public static final int MEMBERS_MAX = 5;

  /** How a node finds others. */
  public interface Peers {

    /** {@return this node} */
    NodeId self();

    /**
     * Lets a node in that is about to be added, connects to it, and compares the two.
     *
     * @param node the node
     * @param address where it takes calls
     * @throws ClusterException if it cannot be reached, or the two cannot work together
     */
    void admit(NodeId node, InetSocketAddress address);

    /**
     * Lets a node in no more that was not added.
     *
     * @param node the node
     */
    void dismiss(NodeId node);

    /**
     * {@return whether a node is this one, or is connected; it is tried if it is not}
     *
     * @param node the node
     */
    boolean isPresent(NodeId node);
  }

  private final int shard;
  private final ReplicatedLog log;
  private final Peers peers;

  /**
   * Creates it for a shard.
   *
   * @param shard the number of the shard
   * @param log of the shard
   * @param peers the other nodes
   */
  public ShardMembers(int shard, ReplicatedLog log, Peers peers) {
    this.shard = shard;
    this.log = log;
    this.peers = peers;
  }

  /** {@return the names of the nodes that keep the shard} */
  public List<String> names() {
    return log.configuration().members().keySet().stream().map(NodeId::name).toList();
  }

  /**
   * Adds a node, and waits until it has a vote.
   *
   * @param member the node, and where it takes calls
   * @throws ClusterException if it cannot be added
   */
  public void add(MemberAddress member) {
    NodeId node = member.node();
    Configuration last = settled();
    if (last.members().containsKey(node)) {
      return;
    }
    if (last.members().size() >= MEMBERS_MAX) {
      throw new ClusterException(
          Reason.MEMBER_COUNT,
          "Shard "
              + shard
              + " has "
              + last.members().size()
              + " members, and a cluster has at most "
              + MEMBERS_MAX
              + ". Remove one before node "
              + node
              + " is added.",
          null);
    }
    requireOwnAddress(last, member);
    Map<NodeId, String> wanted = last.with(node, member.logText());
    boolean isAdded = false;
    try {
      peers.admit(node, member.address());
      requireMajority(last.members().keySet());
      requireMajority(wanted.keySet());
      change(last, wanted, "Node " + node + " was not added to shard " + shard);
      isAdded = true;
    } finally {
      // A change that is under way still names the node in the log, which lets it in.
      if (!isAdded) {
        peers.dismiss(node);
      }
    }
  }

  /** A log counts what answers at an address as the node that it has there. */
  private static void requireOwnAddress(Configuration last, MemberAddress member) {
    last.members()
        .forEach(
            (other, log) -> {
              if (log.equals(member.logText())) {
                throw new ClusterException(
                    Reason.NODE_ID,
                    "Node "
                        + other
                        + " is a member at "
                        + member.address()
                        + ", also if it does not run. Give node "
                        + member.node()
                        + " another port or address.",
                    null);
              }
            });
  }

  /**
   * Removes a node. If that is this one, nothing happens: the shard is moved before.
   *
   * @param node the node
   * @return whether it keeps the shard no more
   * @throws ClusterException if it cannot be removed
   */
  public boolean remove(NodeId node) {
    Configuration last = settled();
    if (!last.members().containsKey(node)) {
      return true;
    }
    if (node.equals(peers.self())) {
      return false;
    }
    if (last.members().size() <= MEMBERS_MIN) {
      throw new ClusterException(
          Reason.MEMBER_COUNT,
          "Shard "
              + shard
              + " has the members "
              + names()
              + ", and a cluster keeps at least "
              + MEMBERS_MIN
              + ". Add another node before "
              + node
              + " is removed.",
          null);
    }
    Map<NodeId, String> wanted = last.without(node);
    requireMajority(last.members().keySet());
    requireMajority(wanted.keySet());
    change(last, wanted, "Node " + node + " was not removed from shard " + shard);
    return true;
  }

  private Configuration settled() {
    Configuration last = log.configuration();
    if (last.isChanging()) {
      throw new ClusterException(
          Reason.NOT_CHANGED,
          "The members of shard "
              + shard
              + " are being changed. Repeat this change when the other one has ended.",
          null);
    }
    return last;
  }

  /** Otherwise the change would be under way until more nodes run, and nothing else in the log. */
  private void requireMajority(Collection<NodeId> members) {
    List<NodeId> away = members.stream().filter(each -> !peers.isPresent(each)).toList();
    if (members.size() - away.size() < members.size() / 2 + 1) {
      throw new ClusterException(
          Reason.NO_MAJORITY,
          "Shard "
              + shard
              + " would need a majority of "
              + members
              + ", and node "
              + peers.self()
              + " does not reach "
              + away
              + ". Start or reconnect them, and repeat the change.",
          null);
    }
  }

  private void change(Configuration last, Map<NodeId, String> wanted, String failed) {
    try {
      log.change(last, wanted).join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new ClusterException(
          Reason.NOT_CHANGED, failed + ", or not yet: " + cause.getMessage() + ".", cause);
    }
  }
}
