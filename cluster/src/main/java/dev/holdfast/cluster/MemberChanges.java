package dev.holdfast.cluster;

import dev.holdfast.HoldfastException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.MemberAddress;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.member.ShardMembers;
import dev.holdfast.cluster.object.ClusterCalls;
import dev.holdfast.cluster.object.ClusterOperations;
import dev.holdfast.cluster.object.NodeService;
import dev.holdfast.cluster.object.ShardAnswers;
import dev.holdfast.cluster.object.ShardOperations;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Adds nodes to the cluster and removes them, shard after shard, at the owner of each. A node that
 * is removed is freed of its copies first, as when the cluster is evened. What a failure in between
 * leaves undone is done by the same change again. Thread-safe.
 */
final class MemberChanges {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final long LOOK_NANOS = 20_000_000;

  /** How long it is waited until a node that is replaced runs again. */
  private static final long RETURN_NANOS = 60_000_000_000L;

  /** How many steps in a row may fail before a removal is given up. */
  private static final int FAILURES_MAX = 5;

  private final NodeId self;
  private final MemberBook book;
  private final ClusterOperations operations;
  private final Balancer balancer;
  private final TimeSource time;
  private final long patienceNanos;

  /**
   * @param balancer takes the steps that free a node
   * @param patienceNanos how long it is waited until this node has heard of a change
   */
  MemberChanges(
      NodeId self,
      MemberBook book,
      ClusterOperations operations,
      Balancer balancer,
      TimeSource time,
      long patienceNanos) {
    this.self = self;
    this.book = book;
    this.operations = operations;
    this.balancer = balancer;
    this.time = time;
    this.patienceNanos = patienceNanos;
  }

  /**
   * How an owner finds the nodes that are added.
   *
   * @param patienceNanos how long a node may take to open its logs
   */
  record Peers(
      NodeId self,
      MemberBook book,
      CallEndpoint endpoint,
      Function<NodeId, NodeService> nodes,
      Executor work,
      TimeSource time,
      long patienceNanos)
      implements ShardMembers.Peers {

    @Override
    public void keep(NodeId node, int shard) {
      try {
        NodeService taker = nodes.apply(node);
        taker.agree(ShardAnswers.write(NodePlacement.agreed(book))); // whom it may hear
        taker.keep(shard, book.replicas());
      } catch (ClusterException e) {
        if (e.reason() != Reason.VERSION) {
          throw e;
        } // an older version has the logs of all shards when it is let in
      }
    }

    @Override
    public void leave(NodeId node, int shard, Configuration agreed) {
      work.execute(
          () -> {
            try {
              nodes.apply(node).leave(shard, agreed.index(), NodePlacement.members(agreed));
            } catch (HoldfastException e) {
              LOG.log(
                  Level.DEBUG, "Node " + node + " has not heard that it keeps a shard no more.", e);
            }
          });
    }

    @Override
    public int replicas() {
      return book.replicas();
    }

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
    String name = added.node().name();
    List<List<String>> shards = operations.inAll(ShardOperations::memberNames);
    List<Integer> lacking =
        IntStream.range(0, shards.size())
            .filter(
                shard ->
                    !shards.get(shard).contains(name) && shards.get(shard).size() < book.replicas())
            .boxed()
            .toList();
    boolean isMember = shards.stream().anyMatch(each -> each.contains(name));
    if (lacking.isEmpty() && isMember) {
      throw new ClusterException(
          Reason.ALREADY_MEMBER,
          "Node " + added.node() + " is a member of the cluster already.",
          null);
    }
    if (lacking.isEmpty()) {
      // One copy makes it a member; the others come when the cluster is evened.
      int first =
          IntStream.range(0, shards.size())
              .filter(shard -> shards.get(shard).size() == book.replicas())
              .findFirst()
              .orElseThrow(() -> tooManyCopies(added.node()));
      operations.of(first).addMember(added.toString());
    }
    lacking.forEach(shard -> operations.of(shard).addMember(added.toString()));
    awaitKnown(added.node(), /* isMember= */ true);
    balancer.tellAll();
  }

  private static ClusterException tooManyCopies(NodeId node) {
    return new ClusterException(
        Reason.MEMBER_COUNT,
        "Each shard has one copy more than it is to have, so node "
            + node
            + " was not added. Repeat it when those that are too many are gone; ./holdfast cluster"
            + " balance --dry-run says when.",
        null);
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
    if (operations.inAll(ShardOperations::memberNames).stream()
        .noneMatch(each -> each.contains(name))) {
      throw new ClusterException(
          Reason.NOT_A_MEMBER,
          "Node " + name + " is not a member of the cluster; the members are " + names() + ".",
          null);
    }
    if (book.nodes().size() <= ShardMembers.MEMBERS_MIN) {
      // Before the first shard is changed: nothing is to be half done.
      throw new ClusterException(
          Reason.MEMBER_COUNT,
          "The cluster has the members "
              + names()
              + ", and keeps at least "
              + ShardMembers.MEMBERS_MIN
              + ". Add another node before "
              + name
              + " is removed.",
          null);
    }
    OptionalLong incarnation = book.incarnationOf(removed);
    balancer.change(rules -> rules.leaving(self, removed, /* leaves= */ true));
    balancer.free(removed, FAILURES_MAX);
    balancer.removed(removed, incarnation);
    balancer.change(rules -> rules.leaving(self, removed, /* leaves= */ false));
    awaitKnown(removed, /* isMember= */ false);
  }

  /** See {@link ClusterRuntime#replace}. */
  void replace(String member) {
    MemberAddress returning = MemberAddress.parse(member);
    NodeId node = returning.node();
    requireMember();
    boolean runs = node.equals(self) || balancer.look().isThere(node);
    if (runs && book.removedDirectories().containsKey(node)) {
      addAgain(member); // it is back already; the last call has failed in between
      return;
    }
    if (runs) {
      throw new ClusterException(
          Reason.NOT_CHANGED,
          "Node "
              + node
              + " runs, with the directory that the cluster knows. Close it first if that is to be"
              + " given up.",
          null);
    }
    boolean isMember = false;
    List<List<String>> shards = operations.inAll(ShardOperations::memberNames);
    for (int shard = 0; shard < shards.size(); shard++) {
      if (shards.get(shard).contains(node.name())) {
        isMember = true;
        operations.of(shard).removeLost(node.name());
      }
    }
    if (isMember) {
      // Who counts it as a member yet would let the empty directory in as one.
      tellUntilGone(node);
      // From now on whatever is left of the lost directory is refused.
      balancer.removed(node, book.incarnationOf(node));
    }
    long begun = time.monotonicNanos();
    while (true) {
      try {
        addAgain(member);
        return;
      } catch (ClusterException e) {
        if (!isReturning(e.reason()) || time.monotonicNanos() - begun > RETURN_NANOS) {
          throw e;
        }
        ClusterCalls.pause(time, LOOK_NANOS);
      }
    }
  }

  private void tellUntilGone(NodeId node) {
    long begun = time.monotonicNanos();
    balancer.tellAll();
    while (book.nodes().contains(node) && time.monotonicNanos() - begun < patienceNanos) {
      ClusterCalls.pause(time, LOOK_NANOS);
      balancer.tellAll();
    }
  }

  /** Without effect if the node has all that an earlier try was to add. */
  private void addAgain(String member) {
    try {
      add(member);
    } catch (ClusterException e) {
      if (e.reason() != Reason.ALREADY_MEMBER) {
        throw e;
      }
    }
  }

  /** A node without a directory compares its list of members until it has heard that it waits. */
  private static boolean isReturning(Reason reason) {
    return switch (reason) {
      case UNREACHABLE, CONNECTION_LOST, CLOSED, STARTING, MEMBERS, NOT_A_MEMBER -> true;
      default -> false;
    };
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
