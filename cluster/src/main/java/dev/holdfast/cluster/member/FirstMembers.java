package dev.holdfast.cluster.member;

import dev.holdfast.cluster.call.Members;
import dev.holdfast.cluster.placement.FirstPlacement;
import dev.holdfast.spi.log.NodeId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The members that a cluster begins with, and what follows from them alone. Thread-safe. */
final class FirstMembers {

  /** Of more nodes, any that are enough begin. */
  private static final int FOUNDED_MAX = 4;

  private final List<NodeId> nodes;
  private final int shards;

  /** Found once: it is asked for each shard. */
  private volatile @Nullable FirstCopies known;

  /**
   * Where shards are to begin with.
   *
   * @param copies how many each has
   * @param ofShards the nodes of each
   */
  private record FirstCopies(int copies, List<List<NodeId>> ofShards) {}

  /**
   * Names them.
   *
   * @param nodes in the order of their names
   * @param shards the number of shards
   */
  FirstMembers(List<NodeId> nodes, int shards) {
    this.nodes = List.copyOf(nodes);
    this.shards = shards;
  }

  /** {@return all of them, in the order of their names} */
  List<NodeId> nodes() {
    return nodes;
  }

  /**
   * {@return whether a cluster was made with a node} A list of members also names nodes that were
   * added later.
   *
   * @param node the node
   * @param begun what the cluster has begun with, if that is known; these nodes count otherwise
   */
  boolean has(NodeId node, Optional<String> begun) {
    return begun
        .map(text -> List.of(text.split(" ", 2)[0].split(",", -1)).contains(node.name()))
        .orElseGet(() -> nodes.contains(node));
  }

  /**
   * {@return those that each other one meets before it begins: of three or four a majority, else
   * all} They follow from the list. If any majority could begin, a node that has begun and lost its
   * directory could begin again, with one that has never come.
   */
  List<NodeId> founders() {
    return nodes.size() <= FOUNDED_MAX ? nodes.subList(0, nodes.size() / 2 + 1) : nodes;
  }

  /** {@return whether each other one meets a node, which is a founder, before it begins} */
  boolean isMetByAll(NodeId node) {
    List<NodeId> founders = founders();
    return founders.size() < nodes.size() && founders.contains(node);
  }

  /**
   * {@return the nodes that keep a shard when the cluster is made}
   *
   * @param shard the shard
   * @param copies how many each shard has
   */
  List<NodeId> copiesOf(int shard, int copies) {
    FirstCopies found = known;
    if (found == null || found.copies() != copies) {
      found = new FirstCopies(copies, FirstPlacement.of(nodes, shards, copies));
      known = found;
    }
    return found.ofShards().get(shard);
  }

  /**
   * {@return what all nodes must have alike to begin, as HELLO says it}
   *
   * @param copies how many each shard has, if there are as many nodes
   */
  String text(int copies) {
    return Members.namesOf(nodes, copies);
  }
}
