package dev.holdfast.nodes;

import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.RecoveredShard;
import dev.holdfast.launcher.WrongInputException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The verb {@code cluster recover}. */
@Command(
    name = "recover",
    sortOptions = false,
    description = {
      "Makes a new cluster of one from the directory of a node, after the majority is lost for"
          + " good.",
      "What the lost nodes have acknowledged without this one is lost. They must never run again.",
      "If it is interrupted, repeat it.",
      "Example: ./holdfast cluster recover --data data/a --yes"
    })
final class RecoverVerb implements Callable<Integer> {

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "The data directory of the node, which does not run.")
  private @Nullable Path data;

  @Option(names = "--yes", description = "Does it. There is no way back.")
  private boolean yes;

  @Option(
      names = "--accept-damage",
      description =
          "Also uses a copy whose log is missing or damaged at its end, though it may lack what"
              + " this node has acknowledged.")
  private boolean isDamageAccepted;

  @Override
  public Integer call() {
    Path directory = ClusterCommand.existing(data);
    if (!yes) {
      throw new WrongInputException(
          "cluster recover gives up what the other nodes have acknowledged without this one, and"
              + " there is no way back; add --yes if the majority is lost for good");
    }
    for (RecoveredShard shard : ClusterHoldfast.recover(directory, isDamageAccepted)) {
      System.out.println(
          shard.lastPosition() == 0
              ? "Shard " + shard.shard() + " has no record. Any that was acknowledged is lost."
              : "Shard "
                  + shard.shard()
                  + " ends at position "
                  + shard.lastPosition()
                  + ", written "
                  + Objects.requireNonNullElse(shard.lastWritten(), "at an unknown time")
                  + ". What was acknowledged after it is lost.");
    }
    System.out.println(
        directory
            + " is a cluster of one now. Open it with this node as the only member, and never start"
            + " a node of the old cluster again.");
    return 0;
  }
}
