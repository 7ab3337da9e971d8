package dev.holdfast.nodes;

import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.launcher.WrongInputException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The verb {@code cluster adopt}. */
@Command(
    name = "adopt",
    sortOptions = false,
    description = {
      "Makes the data directory of a single machine that of the first node of a cluster of one"
          + " shard, with its history and bookmarks. Nothing is copied, and there is no way back.",
      "If it is interrupted, the directory is still what it was, or the node's. Repeat it.",
      "Example: ./holdfast cluster adopt --data data/shop --node a --address 10.0.0.1:7400"
          + " --cluster shop --yes"
    })
final class AdoptVerb implements Callable<Integer> {

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data directory, which no process has open.")
  private @Nullable Path data;

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

  @Option(names = "--yes", description = "Does it. There is no way back.")
  private boolean yes;

  @Override
  public Integer call() {
    Path directory = ClusterCommand.existing(data);
    ClusterOptions options = options();
    if (!yes) {
      throw new WrongInputException(
          "cluster adopt checks "
              + directory
              + " and makes it the directory of node "
              + node
              + " of the new cluster "
              + cluster
              + ", with one shard. From then on it is opened with ClusterHoldfast.open only, and an"
              + " archive is not continued. Make a backup first, and add --yes");
    }
    long last = ClusterHoldfast.adopt(directory, options);
    System.out.println(
        directory
            + " is the directory of node "
            + node
            + " of cluster "
            + cluster
            + ": one shard, up to position "
            + last
            + ". Open it with members(\""
            + node
            + "="
            + address
            + "\") and withShards(1), and add the other nodes.");
    return 0;
  }

  private ClusterOptions options() {
    try {
      return ClusterOptions.of(cluster).node(node).members(node + "=" + address).withShards(1);
    } catch (IllegalArgumentException e) {
      throw new WrongInputException(String.valueOf(e.getMessage()));
    }
  }
}
