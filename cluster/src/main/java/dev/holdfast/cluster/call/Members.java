package dev.holdfast.cluster.call;

import dev.holdfast.spi.log.NodeId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The members of the cluster, as far as this node knows. Thread-safe; may change at any time. */
public interface Members {

  /** {@return all members, this node included, in an order that does not change by itself} */
  List<NodeId> nodes();

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
}
