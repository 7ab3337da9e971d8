package dev.holdfast.cluster.member;

import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Changes which nodes keep a shard, at the node that owns it. A change that is there already has no
 * effect, so each can be repeated. Thread-safe.
 */
public final class ShardMembers {

  /** Fewer members could lose a majority with one machine; one and two grow. */
  public static final int MEMBERS_MIN = 3;

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
     * Has a node take a copy of a shard, to which it is added next. Without effect if it has one.
     *
     * @param node the node
     * @param shard the number of the shard
     * @throws ClusterException if it cannot
     */
    void keep(NodeId node, int shard);

    /**
     * Says to a node that it does not keep a shard any more. If it does not hear it, it is said
     * again later.
     *
     * @param node the node
     * @param shard the number of the shard
     * @param agreed the nodes that keep it
     */
    void leave(NodeId node, int shard, Configuration agreed);

    /**
     * Has a node that is about to take a shard bring its files forward. Blocks until it has, and
     * returns if it cannot.
     *
     * @param node the node
     * @param shard the number of the shard
     */
    void bringForward(NodeId node, int shard);

    /** {@return how many nodes are to keep each shard now} */
    int copiesWanted();

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
  private final Supplier<Set<NodeId>> behind;

  /** Held during a change: a node must not leave between its first copy and its vote. */
  private final ReentrantLock changing = new ReentrantLock();

  /**
   * Creates it for a shard.
   *
   * @param shard the number of the shard
   * @param log of the shard
   * @param peers the other nodes
   * @param behind the members that do not have nearly all of the log, as far as this node knows
   */
  public ShardMembers(int shard, ReplicatedLog log, Peers peers, Supplier<Set<NodeId>> behind) {
    this.shard = shard;
    this.log = log;
    this.peers = peers;
    this.behind = behind;
  }

  /** {@return the nodes that keep the shard, and where the log reaches them} */
  public Configuration configuration() {
    return log.configuration();
  }

  /** {@return whether a change is under way} */
  public boolean isChanging() {
    return changing.isLocked() || log.configuration().isChanging();
  }

  /** {@return the members that do not have nearly all of the log, as far as this node knows} */
  public Set<NodeId> behind() {
    return behind.get();
  }

  /** {@return the names of the nodes that keep the shard} */
  public List<String> names() {
    return log.configuration().members().keySet().stream().map(NodeId::name).toList();
  }

  /**
   * Checks that the shard can be moved to a node: the objects would be closed before that shows.
   *
   * @param node the node
   * @throws ClusterException {@code NOT_MOVED} if it keeps no copy
   */
  public void requireCopyOn(NodeId node) {
    List<String> copies = names();
    if (!copies.isEmpty() && !copies.contains(node.name())) { // empty: the log is not open now
      throw new ClusterException(
          Reason.NOT_MOVED,
          "Node "
              + node
              + " keeps no copy of shard "
              + shard
              + ", so it cannot own it; the copies are on "
              + copies
              + ". Copies go where the cluster is evened.",
          null);
    }
  }

  /**
   * Adds a node, and waits until it has a vote.
   *
   * @param member the node, and where it takes calls
   * @throws ClusterException if it cannot be added
   */
  public void add(MemberAddress member) {
    change(
        () -> {
          addNow(member);
          return true;
        });
  }

  private void addNow(MemberAddress member) {
    NodeId node = member.node();
    Configuration last = settled();
    if (last.members().containsKey(node)) {
      return;
    }
    if (last.members().size() > peers.copiesWanted()) {
      throw new ClusterException(
          Reason.MEMBER_COUNT,
          "Shard "
              + shard
              + " has the copies "
              + names()
              + ", one more than the "
              + peers.copiesWanted()
              + " that it is to have: one of them is about to go. Repeat the change when it has.",
          null);
    }
    requireOwnAddress(last, member);
    Map<NodeId, String> wanted = last.with(node, member.logText());
    boolean isAdded = false;
    try {
      peers.admit(node, member.address());
      peers.keep(node, shard);
      requireMajority(last.members().keySet());
      requireMajority(wanted.keySet());
      change(last, wanted, "Node " + node + " was not added to shard " + shard);
      isAdded = true;
    } finally {
      // A change that is under way still names the node in the log, which lets it in.
      if (!isAdded) {
        leaveIfGone(node);
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
   * Removes a node whose copy is not needed any more, if all others are there and have caught up.
   * If that is this one, nothing happens: the shard is moved before.
   *
   * @param node the node
   * @param left how many nodes keep the shard afterwards, at least
   * @return whether it keeps the shard no more
   * @throws ClusterException if it cannot be removed
   */
  public boolean removeCopy(NodeId node, int left) {
    return change(
        () -> {
          Set<NodeId> others = new HashSet<>(settled().without(node).keySet());
          Set<NodeId> late = new HashSet<>(behind.get());
          late.retainAll(others);
          if (!late.isEmpty()) {
            throw new ClusterException(
                Reason.NOT_CHANGED,
                "Node " + node + " keeps shard " + shard + " until " + late + " have caught up.",
                null);
          }
          return removeNow(node, left);
        });
  }

  /**
   * Removes a node whose copy is lost, whatever is left.
   *
   * @param node the node
   * @throws ClusterException if it cannot be removed
   */
  public void removeLost(NodeId node) {
    change(() -> removeNow(node, /* left= */ 1));
  }

  /**
   * Has a node give a copy up that is not one of the shard's, as of a change that has failed.
   *
   * @param node the node
   */
  public void dismiss(NodeId node) {
    change(
        () -> {
          leaveIfGone(node);
          return true;
        });
  }

  /** With the lock held: the node must not hear this after it is asked to keep the shard again. */
  private void leaveIfGone(NodeId node) {
    Configuration agreed = log.configuration();
    if (!agreed.isChanging()
        && !agreed.members().isEmpty()
        && !agreed.members().containsKey(node)) {
      peers.leave(node, shard, agreed);
    }
  }

  private <T> T change(Supplier<T> change) {
    if (!changing.tryLock()) {
      throw underWay();
    }
    try {
      return change.get();
    } finally {
      changing.unlock();
    }
  }

  private boolean removeNow(NodeId node, int left) {
    Configuration last = settled();
    if (!last.members().containsKey(node)) {
      return true;
    }
    if (node.equals(peers.self())) {
      return false;
    }
    if (last.members().size() <= left) {
      throw new ClusterException(
          Reason.MEMBER_COUNT,
          "Shard "
              + shard
              + " has the members "
              + names()
              + ", and a cluster keeps at least "
              + left
              + ". Add another node before "
              + node
              + " is removed.",
          null);
    }
    Map<NodeId, String> wanted = last.without(node);
    requireMajority(last.members().keySet());
    requireMajority(wanted.keySet());
    change(last, wanted, "Node " + node + " was not removed from shard " + shard);
    leaveIfGone(node);
    return true;
  }

  private Configuration settled() {
    Configuration last = log.configuration();
    if (last.isChanging()) {
      throw underWay();
    }
    return last;
  }

  private ClusterException underWay() {
    return new ClusterException(
        Reason.NOT_CHANGED,
        "The members of shard "
            + shard
            + " are being changed. Repeat this change when the other one has ended.",
        null);
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
