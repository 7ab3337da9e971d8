package dev.holdfast.nodes;

import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.launcher.WrongInputException;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code cluster restore}. */
@Command(
    name = "restore",
    sortOptions = false,
    description = {
      "Makes the directory of the first node of a new cluster from the archive of a cluster, as all"
          + " of its objects were at a moment.",
      "If it is interrupted, there is no directory. Repeat it.",
      "Example: ./holdfast cluster restore --from /mnt/archive/shop --to data/shop --node a"
          + " --address 10.0.0.1:7400 --cluster shop --shards 6"
    })
final class ClusterRestoreVerb implements Callable<Integer> {

  @Option(
      names = "--from",
      paramLabel = "STORE",
      required = true,
      description = "The directory of the archive.")
  private String from = "";

  @Option(
      names = "--to",
      paramLabel = "DIR",
      required = true,
      description = "The directory of the node; missing or empty.")
  private @Nullable Path to;

  @Mixin private @Nullable FirstNode first;

  @Option(
      names = "--shards",
      paramLabel = "N",
      required = true,
      description = "As many as the archived cluster has.")
  private int shards;

  @Option(
      names = "--at",
      paramLabel = "TIME",
      description = "A time such as 2026-11-23T09:30:00Z (default: the latest state).")
  private @Nullable String at;

  @Override
  public Integer call() {
    if (to == null || first == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    if (from.startsWith("s3://")) {
      throw new WrongInputException(
          "cluster restore reads the directory of an archive, not "
              + from
              + ". From object storage, a program restores with ClusterHoldfast.restore");
    }
    List<RestoreResult> restored;
    try {
      restored =
          ClusterHoldfast.restore(
              new DirectoryArchive(ClusterCommand.existing(Path.of(from))),
              to,
              first.options(shards),
              RestoreRequest.of(target(at)));
    } catch (IllegalArgumentException e) {
      throw new WrongInputException(String.valueOf(e.getMessage()));
    }
    for (int shard = 0; shard < restored.size(); shard++) {
      long position = restored.get(shard).position();
      System.out.println(
          position == 0
              ? "Shard " + shard + " has no record."
              : "Shard " + shard + " ends at position " + position + ".");
    }
    System.out.println(
        to
            + " is the directory of node "
            + first.node()
            + " of the new cluster "
            + first.cluster()
            + ". "
            + first.opening(shards));
    return 0;
  }

  private static RestoreTarget target(@Nullable String text) {
    if (text == null) {
      return new RestoreTarget.Latest();
    }
    try {
      return new RestoreTarget.AtTime(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeParseException e) {
      throw new WrongInputException(
          "--at is a time with its zone, such as 2026-11-23T09:30:00Z, not " + text);
    }
  }
}
