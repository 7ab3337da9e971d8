package dev.holdfast.cluster;

import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.member.ShardMembers;
import dev.holdfast.cluster.object.ClusterCalls;
import dev.holdfast.cluster.object.ClusterOperations;
import dev.holdfast.cluster.object.ShardOperations;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Adds nodes to the cluster and removes them, shard after shard, at the owner of each. What a
 * failure in between leaves undone is done by the same change again. Thread-safe.
 */
final class MemberChanges {

  private static final long LOOK_NANOS = 20_000_000;

  /** How often a shard is moved from a node that takes it again before it can be removed. */
  private static final int MOVES_MAX = 5;

  private final NodeId self;
  private final MemberBook book;
  private final ClusterOperations operations;
  private final TimeSource time;
  private final long patienceNanos;

  /**
   * @param patienceNanos how long it is waited until this node has heard of a change
   */
  MemberChanges(
      NodeId self,
      MemberBook book,
      ClusterOperations operations,
      TimeSource time,
      long patienceNanos) {
    this.self = self;
    this.book = book;
    this.operations = operations;
    this.time = time;
    this.patienceNanos = patienceNanos;
  }

  /**
   * How an owner finds the nodes that are added.
   *
   * @param patienceNanos how long a node may take to open its logs
   */
  record Peers(
      NodeId self, MemberBook book, CallEndpoint endpoint, TimeSource time, long patienceNanos)
      implements ShardMembers.Peers {

    @Override
    public void admit(NodeId node, InetSocketAddress address) {
      book.admit(node, address);
      long begun = time.monotonicNanos();
      while (!isMet(node, begun)) {
        ClusterCalls.pause(time, LOOK_NANOS);
      }
    }

    @Override
    public void dismiss(NodeId node) {
      book.dismiss(node);
    }

    /** False if the node is connected to just now, or was let in just now and opens its logs. */
    private boolean isMet(NodeId node, long begun) {
      try {
        return endpoint.meet(node);
      } catch (ClusterException e) {
        if (e.reason() == Reason.STARTING && time.monotonicNanos() - begun < patienceNanos) {
          return false;
        }
        throw e;
      }
    }

    @Override
    public boolean isPresent(NodeId node) {
      try {
        return node.equals(self) || endpoint.isConnectedTo(node) || endpoint.meet(node);
      } catch (ClusterException e) {
        return false;
      }
    }
  }

  /** See {@link ClusterRuntime#add}. */
  void add(String member) {
    MemberAddress added = MemberAddress.parse(member);
    requireMember();
    List<List<String>> shards = operations.inAll(ShardOperations::memberNames);
    if (shards.stream().allMatch(each -> each.contains(added.node().name()))) {
      throw new ClusterException(
          Reason.ALREADY_MEMBER,
          "Node " + added.node() + " is a member of the cluster already, in every shard.",
          null);
    }
    for (int shard = 0; shard < operations.shards(); shard++) {
      operations.of(shard).addMember(added.toString());
    }
    awaitKnown(added.node(), /* isMember= */ true);
  }

  /** See {@link ClusterRuntime#remove}. */
  void remove(String name) {
    NodeId removed = new NodeId(name);
    requireMember();
    if (removed.equals(self)) {
      throw new ClusterException(
          Reason.UNSUPPORTED,
          "Node " + self + " does not remove itself. Ask another member to do it.",
          null);
    }
    List<List<String>> shards = operations.inAll(ShardOperations::memberNames);
    if (shards.stream().noneMatch(each -> each.contains(name))) {
      throw new ClusterException(
          Reason.NOT_A_MEMBER,
          "Node " + name + " is not a member of the cluster; the members are " + names() + ".",
          null);
    }
    for (int shard = 0; shard < shards.size(); shard++) {
      List<String> members = shards.get(shard);
      if (members.contains(name) && members.size() <= ShardMembers.MEMBERS_MIN) {
        // Before the first shard is changed: nothing is to be half done.
        throw new ClusterException(
            Reason.MEMBER_COUNT,
            "Shard "
                + shard
                + " has the members "
                + members
                + ", and a cluster keeps at least "
                + ShardMembers.MEMBERS_MIN
                + ". Add another node before "
                + name
                + " is removed.",
            null);
      }
    }
    for (int shard = 0; shard < shards.size(); shard++) {
      remove(shard, name, shards.get(shard));
    }
    awaitKnown(removed, /* isMember= */ false);
  }

  private void remove(int shard, String name, List<String> members) {
    List<String> others = members.stream().filter(each -> !each.equals(name)).toList();
    for (int moves = 0; moves < MOVES_MAX; moves++) {
      if (operations.of(shard).removeMember(name)) {
        return;
      }
      operations.of(shard).transfer(others.get(moves % others.size()));
    }
    throw new ClusterException(
        Reason.NOT_CHANGED,
        "Node "
            + name
            + " owns shard "
            + shard
            + ", and no other node has taken it in time. Check that the others run and have caught"
            + " up, and repeat the removal.",
        null);
  }

  private void requireMember() {
    if (book.waits()) {
      throw new ClusterException(
          Reason.NOT_A_MEMBER,
          "Node " + self + " waits to be added itself. Ask a member to do it.",
          null);
    }
  }

  private List<String> names() {
    return book.nodes().stream().map(NodeId::name).toList();
  }

  /** This node hears of it when it applies the logs; it may be behind. */
  private void awaitKnown(NodeId node, boolean isMember) {
    long begun = time.monotonicNanos();
    while (book.nodes().contains(node) != isMember
        && time.monotonicNanos() - begun < patienceNanos) {
      ClusterCalls.pause(time, LOOK_NANOS);
    }
  }
}
