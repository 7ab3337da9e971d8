package dev.holdfast.nodes;

import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.launcher.WrongInputException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code cluster adopt}. */
@Command(
    name = "adopt",
    sortOptions = false,
    description = {
      "Turns the data directory of a single machine into the directory of the first node of a"
          + " cluster of one shard, with its history and bookmarks. Nothing is copied, and there is"
          + " no way back.",
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

  @Mixin private @Nullable FirstNode first;

  @Option(names = "--yes", description = "Does it. There is no way back.")
  private boolean yes;

  @Override
  public Integer call() {
    Path directory = ClusterCommand.existing(data);
    if (first == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    ClusterOptions options = first.options(/* shards= */ 1);
    if (!yes) {
      throw new WrongInputException(
          "cluster adopt checks "
              + directory
              + " and makes it the directory of node "
              + first.node()
              + " of the new cluster "
              + first.cluster()
              + ", with one shard. From then on it is opened with ClusterHoldfast.open only, and an"
              + " archive is not continued. Make a backup first, and add --yes");
    }
    long last = ClusterHoldfast.adopt(directory, options);
    System.out.println(
        directory
            + " is the directory of node "
            + first.node()
            + " of cluster "
            + first.cluster()
            + ": one shard, up to position "
            + last
            + ". "
            + first.opening(/* shards= */ 1));
    return 0;
  }
}
