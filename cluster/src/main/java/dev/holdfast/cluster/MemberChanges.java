package dev.holdfast.cluster;

import dev.holdfast.HoldfastException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallEndpoint;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.member.ConfigurationText;
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
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
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

  /** How long a shard that others change is waited for. */
  private static final long CHANGE_NANOS = 30_000_000_000L;

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
      TimeSource time,
      long patienceNanos)
      implements ShardMembers.Peers {

    @Override
    public void keep(NodeId node, int shard) {
      long begun = time.monotonicNanos();
      while (true) {
        try {
          NodeService taker = nodes.apply(node);
          taker.agree(ShardAnswers.write(NodePlacement.agreed(book))); // which nodes it may hear
          taker.keep(shard, book.replicas());
          return;
        } catch (ClusterException e) {
          if (e.reason() == Reason.VERSION) {
            return; // an older version has the logs of all shards when it is let in
          }
          boolean isStarting =
              e.getCause() instanceof ClusterException why && why.reason() == Reason.STARTING;
          // It may be too busy to answer; to keep a shard that it keeps does nothing.
          boolean isLost = e.reason() == Reason.CONNECTION_LOST;
          if (!(isStarting || isLost) || time.monotonicNanos() - begun > patienceNanos) {
            throw e;
          }
        }
        ClusterCalls.pause(time, LOOK_NANOS);
      }
    }

    @Override
    public void leave(NodeId node, int shard, Configuration agreed) {
      if (!endpoint.isConnectedTo(node)) {
        return; // it hears it when it is there again
      }
      try {
        nodes.apply(node).leave(shard, agreed.index(), ConfigurationText.members(agreed));
      } catch (HoldfastException e) {
        LOG.log(Level.DEBUG, "Node " + node + " has not heard that it keeps a shard no more.", e);
      }
    }

    @Override
    public void bringForward(NodeId node, int shard) {
      try {
        nodes.apply(node).bringForward(shard);
      } catch (HoldfastException e) {
        // It is of an earlier version, or is lost: it has more to redo when it takes the shard.
        LOG.log(Level.DEBUG, "Node " + node + " has not brought a shard forward.", e);
      }
    }

    @Override
    public int copiesWanted() {
      return book.copiesWanted(book.nodes().size() + 1); // one may be about to be added
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
    // A removal that was interrupted; before the members are read, as it may be about to end.
    boolean isWithdrawn = balancer.stay(added.node());
    List<List<String>> shards = operations.inAll(ShardOperations::memberNames);
    boolean isMember = shards.stream().anyMatch(each -> each.contains(name));
    int nodes = book.nodes().size() + (isMember ? 0 : 1);
    if (nodes > MemberBook.nodesMax(shards.size())) {
      throw new ClusterException(
          Reason.MEMBER_COUNT,
          "A cluster of "
              + shards.size()
              + " shards has at most "
              + MemberBook.nodesMax(shards.size())
              + " nodes: each keeps one shard at least. Make a cluster of more shards.",
          null);
    }
    int wanted = book.copiesWanted(nodes);
    List<Integer> lacking =
        IntStream.range(0, shards.size())
            .filter(shard -> !shards.get(shard).contains(name) && shards.get(shard).size() < wanted)
            .boxed()
            .toList();
    if (lacking.isEmpty() && isMember) {
      if (isWithdrawn) {
        return;
      }
      throw new ClusterException(
          Reason.ALREADY_MEMBER,
          "Node " + added.node() + " is a member of the cluster already.",
          null);
    }
    if (lacking.isEmpty()) {
      // One copy makes it a member; the others come when the cluster is evened.
      int first =
          IntStream.range(0, shards.size())
              .filter(shard -> shards.get(shard).size() == wanted)
              .findFirst()
              .orElseThrow(() -> tooManyCopies(added.node()));
      whenFree(() -> operations.of(first).addMember(added.toString()));
    }
    lacking.forEach(shard -> whenFree(() -> operations.of(shard).addMember(added.toString())));
    awaitKnown(added.node(), /* isMember= */ true);
    balancer.tellAll();
  }

  /** The shard may be changed already, as when the cluster is evened: its turn comes after that. */
  private void whenFree(Runnable change) {
    repeat(change, reason -> reason == Reason.NOT_CHANGED, CHANGE_NANOS);
  }

  /** Makes a change that may fail at first for some reasons, until a time is over. */
  private void repeat(Runnable change, Predicate<Reason> isRepeated, long nanos) {
    long begun = time.monotonicNanos();
    while (true) {
      try {
        change.run();
        return;
      } catch (ClusterException e) {
        if (!isRepeated.test(e.reason()) || time.monotonicNanos() - begun > nanos) {
          throw e;
        }
        ClusterCalls.pause(time, LOOK_NANOS);
      }
    }
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
    boolean isMember =
        operations.inAll(ShardOperations::memberNames).stream()
            .anyMatch(each -> each.contains(name));
    if (!isMember && !balancer.look().rules().leaving().contains(removed)) {
      throw new ClusterException(
          Reason.NOT_A_MEMBER,
          "Node " + name + " is not a member of the cluster; the members are " + names() + ".",
          null);
    }
    balancer.change(
        rules -> {
          if (isMember) {
            requireEnoughLeft(removed, rules.leaving());
          }
          return rules.leaving(self, removed, /* leaves= */ true);
        });
    balancer.free(removed, FAILURES_MAX);
    balancer.removed(removed, balancer.directoriesOf(removed));
    balancer.stay(removed);
    awaitKnown(removed, /* isMember= */ false);
  }

  /**
   * Before the first shard is changed: nothing is to be half done. Another removal that is under
   * way, or was interrupted, counts as done.
   */
  private void requireEnoughLeft(NodeId removed, Set<NodeId> leaving) {
    long left =
        book.nodes().stream()
            .filter(each -> !each.equals(removed) && !leaving.contains(each))
            .count();
    if (left < ShardMembers.MEMBERS_MIN) {
      throw new ClusterException(
          Reason.MEMBER_COUNT,
          "The cluster has the members "
              + names()
              + (leaving.isEmpty() ? "" : ", of which " + leaving + " are being removed")
              + ", and keeps at least "
              + ShardMembers.MEMBERS_MIN
              + ". Add another node before "
              + removed
              + " is removed.",
          null);
    }
  }

  /** See {@link ClusterRuntime#replace}. */
  void replace(String member) {
    MemberAddress returning = MemberAddress.parse(member);
    NodeId node = returning.node();
    requireMember();
    // What is lost is read first, and whether the node runs last: another call may end in between,
    // and the node runs with a new directory then.
    Set<Long> known = balancer.directoriesOf(node);
    List<List<String>> shards = operations.inAll(ShardOperations::memberNames);
    boolean isMember = shards.stream().anyMatch(each -> each.contains(node.name()));
    balancer.look(); // says to this node that the other one is a member: it is asked next
    PlacementLook look = balancer.look();
    boolean wasReplaced = book.removedDirectories().containsKey(node);
    if (look.isThere(node) && !wasReplaced) {
      throw new ClusterException(
          Reason.NOT_CHANGED,
          "Node "
              + node
              + " runs, with the directory that the cluster knows. Close it first if that is to be"
              + " given up.",
          null);
    }
    if (look.isThere(node)) { // it is back already; an earlier call has failed in between
      look.ownDirectoryOf(node).ifPresent(own -> removeOthers(node, known, own));
      addAgain(member);
      return;
    }
    if (isMember && known.isEmpty() && !wasReplaced) {
      // Before the first shard is changed. Without its incarnation, its name could not be used.
      throw new ClusterException(
          Reason.NOT_CHANGED,
          "Node "
              + node
              + " has never come to the members that run. Start it: it takes its part by itself."
              + " If a member refuses it for its directory, repeat this when that one runs.",
          null);
    }
    for (int shard = 0; shard < shards.size(); shard++) {
      if (shards.get(shard).contains(node.name())) {
        int number = shard;
        whenFree(() -> operations.of(number).removeLost(node.name()));
      }
    }
    // From now on whatever is left of the lost directory is refused. Not before: while the node is
    // a member, another directory might vote again. A node that is none, as after a call that was
    // interrupted here, may be back; if it does not answer, what it came with last is lost.
    if (isMember || (!known.isEmpty() && isLost(member))) {
      balancer.removed(node, known);
      known.clear();
    }
    repeat(() -> addReturning(member, known), MemberChanges::isReturning, RETURN_NANOS);
  }

  /** A node that compares its list of members yet says later which directory it runs with. */
  private void addReturning(String member, Set<Long> known) {
    try {
      addAgain(member);
    } catch (ClusterException e) {
      if (e.reason() != Reason.INCARNATION || known.isEmpty()) {
        throw e;
      }
      balancer.removed(MemberAddress.parse(member).node(), known);
      known.clear();
      addAgain(member);
    }
  }

  /** Members that were away may know what a node had before it came back. */
  private void removeOthers(NodeId node, Set<Long> known, long own) {
    known.remove(own);
    if (!known.isEmpty()) {
      balancer.removed(node, known);
    }
  }

  /** {@return whether a node is not at its address, or with another directory; else it is added} */
  private boolean isLost(String member) {
    try {
      addAgain(member);
      return false;
    } catch (ClusterException e) {
      boolean isLost = e.reason() == Reason.UNREACHABLE || e.reason() == Reason.INCARNATION;
      if (!isLost && !isReturning(e.reason())) {
        throw e;
      }
      return isLost;
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
