package dev.holdfast.cluster.call;

import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** The members of the cluster, as far as this node knows. Thread-safe; may change at any time. */
public interface Members {

  /**
   * The lineage that a node has in HELLO while it waits to be added, and was not let in yet, and a
   * client before its first connection.
   */
  long UNKNOWN_LINEAGE = -1;

  /**
   * {@return what all nodes must have alike while a cluster is made, as HELLO says it; in full}
   *
   * @param nodes all members
   * @param copies how many each shard has, if there are as many nodes
   */
  static String namesOf(Collection<NodeId> nodes, int copies) {
    String names = nodes.stream().map(NodeId::name).sorted().collect(Collectors.joining(","));
    // The first nodes of a shard follow from both.
    return copies < nodes.size() ? names + " with " + copies + " copies" : names;
  }

  /** {@return all members, this node included, in an order that does not change by itself} */
  List<NodeId> nodes();

  /**
   * {@return the nodes that keep a shard, as far as this node has heard, in an order that does not
   * change by itself}
   *
   * @param shard the number of the shard
   */
  default List<NodeId> copiesOf(int shard) {
    return nodes();
  }

  /** {@return how many nodes keep each shard, if there are as many} */
  default int replicas() {
    return nodes().size();
  }

  /**
   * {@return where a member takes calls; empty if the node is no member}
   *
   * @param node the node
   */
  Optional<InetSocketAddress> addressOf(NodeId node);

  /**
   * Returns the incarnation with which a node is a member. A node with another data directory is
   * refused: it may be an old copy of the directory, or a second process of the same name.
   *
   * @param node the node
   * @return the incarnation; empty if it is not known yet, so that each one is accepted
   */
  OptionalLong incarnationOf(NodeId node);

  /**
   * Records durably with which directory a node has come, before anything else is exchanged with
   * it.
   *
   * @param node the node, which has proven its name
   * @param incarnation of its directory
   * @param opening of its directory, as HELLO has it
   * @return false if it has come with another directory before, or with a later state of this one;
   *     nothing is recorded then
   * @throws dev.holdfast.errors.DataDirectoryException if that cannot be recorded
   */
  boolean met(NodeId node, long incarnation, long opening);

  /**
   * {@return whether the cluster is being made, so that every node must have the same list of
   * members; later the logs say which nodes are}
   */
  default boolean isBeingMade() {
    return true;
  }

  /**
   * {@return the {@linkplain #namesOf names} that this node has begun the cluster with; empty if it
   * has begun none, or does not know it}
   */
  default Optional<String> begunWith() {
    return Optional.empty();
  }

  /**
   * Returns whether a node was a member with a directory, and was removed.
   *
   * @param node the node
   * @param incarnation of its directory
   * @return whether it was
   */
  default boolean isRemoved(NodeId node, long incarnation) {
    return false;
  }

  /**
   * {@return whether a node may be one that the cluster was made with, and come for the first time}
   *
   * @param node the node
   */
  default boolean isOfFirst(NodeId node) {
    return true;
  }

  /**
   * {@return the lineage of the cluster, if this node has learnt it from the members: {@link
   * #UNKNOWN_LINEAGE} before that; empty if it is that of its directory}
   */
  default OptionalLong learntLineage() {
    return OptionalLong.empty();
  }

  /**
   * Records durably the lineage of the cluster that adds this node.
   *
   * @param lineage as a member has said in HELLO
   */
  default void learnLineage(long lineage) {
    throw new IllegalStateException("This node has a lineage.");
  }

  /**
   * Takes the number of shards that a member has said, if this is a client and knows none.
   *
   * @param shards as a member has said in HELLO
   * @return the number that this client knows
   */
  default int learnShards(int shards) {
    throw new IllegalStateException("This node has a number of shards.");
  }

  /**
   * Returns whether a node of a name was removed: its certificate is of no use any more, not even
   * for a client.
   *
   * @param name the name
   * @return whether one was
   */
  default boolean wasRemoved(NodeId name) {
    return false;
  }

  /** A call has found no owner: a client asks soon which members there are. Does not block. */
  default void lookAgain() {}

  /** {@return the newest version of entries of the logs that this node reads} */
  default int newestEntries() {
    return LogEntry.VERSION;
  }

  /**
   * {@return the newest version of entries that the owner of a shard writes, as far as is known}
   */
  default int agreedEntries() {
    return LogEntry.VERSION_MIN;
  }

  /**
   * Records which entries a node reads, until this node is closed.
   *
   * @param node the node, which has proven its name
   * @param newest the newest version of entries that it reads
   */
  default void reads(NodeId node, int newest) {}

  /**
   * Remembers that a node has called, until this node is closed: it runs, whatever comes of it.
   *
   * @param node the node, which has proven its name
   */
  default void called(NodeId node) {}

  /**
   * {@return whether this node waits to be added, so that it does not know all members: each node
   * with a certificate of the cluster may let it in}
   */
  default boolean waits() {
    return false;
  }

  /**
   * {@return whether this node waits to be added, and has not opened its logs yet: nobody connects
   * to it before, so that no log adds a member that is not there}
   */
  default boolean isStarting() {
    return false;
  }
}
