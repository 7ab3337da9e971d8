package dev.holdfast.nodes;

import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.launcher.WrongInputException;
import picocli.CommandLine.Option;

/** The first node of a new cluster. Populated by the command line library. */
final class FirstNode {

  @Option(names = "--node", paramLabel = "NAME", required = true, description = "The new node.")
  private String node = "";

  @Option(
      names = "--address",
      paramLabel = "HOST:PORT",
      required = true,
      description = "Where the node is to take calls. Its log uses the next port.")
  private String address = "";

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      required = true,
      description = "The name of the cluster. It never changes.")
  private String cluster = "";

  /** {@return what the node is opened with} */
  ClusterOptions options(int shards) {
    try {
      return ClusterOptions.of(cluster).node(node).members(node + "=" + address).withShards(shards);
    } catch (IllegalArgumentException e) {
      throw new WrongInputException(String.valueOf(e.getMessage()));
    }
  }

  /** {@return how the node is opened, and that others are added} */
  String opening(int shards) {
    return "Open it with members(\""
        + node
        + "="
        + address
        + "\") and withShards("
        + shards
        + "), and add the other nodes.";
  }

  /** {@return the name of the node} */
  String node() {
    return node;
  }

  /** {@return the name of the cluster} */
  String cluster() {
    return cluster;
  }
}
