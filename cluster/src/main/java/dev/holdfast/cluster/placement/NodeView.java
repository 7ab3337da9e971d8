package dev.holdfast.cluster.placement;

import dev.holdfast.spi.log.NodeId;
import java.util.Map;

/**
 * A node as a planner sees it.
 *
 * @param node its name
 * @param labels where it is: {@code zone}, and {@code rack} within it; others are ignored
 * @param use what it may be given
 */
public record NodeView(NodeId node, Map<String, String> labels, NodeUse use) {

  /** Copies the labels. */
  public NodeView {
    labels = Map.copyOf(labels);
  }
}
