package dev.holdfast.nodes;

import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.launcher.WrongInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code cluster restore}. */
@Command(
    name = "restore",
    sortOptions = false,
    description = {
      "Makes the directory of the first node of a new cluster, with all objects as they were at a"
          + " moment, divided among any number of shards: from the archive of a cluster, or from"
          + " what a single machine has. That is its archive, a backup, or its data directory,"
          + " which no process has open.",
      "If it is interrupted, there is no directory. Repeat it.",
      "Example: ./holdfast cluster restore --from /mnt/archive/shop --to data/shop --node a"
          + " --address 10.0.0.1:7400 --cluster shop --shards 64"
    })
final class ClusterRestoreVerb implements Callable<Integer> {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int MEGABYTE = 1_000_000;

  /** Said before anything is done. */
  private static final String LOST =
      "The objects are divided among the shards, with their history, alarms, events and the places"
          + " of consumers. Lost are the texts of bookmarks: take new ones, by time. Events get"
          + " another Event.position: where consumers have stored it to recognise a repetition,"
          + " remove it, or they take new events for old ones. An archive is not continued.";

  private static final String AGAIN =
      "Where objects of several shards come together, a consumer goes on with the first event of"
          + " any of them that it has not handled: later ones may be delivered again. Behind that"
          + " event is the journal of all these shards. If that is more than"
          + " RuntimeOptions.outboxBytesMax, the new cluster may cut off a consumer that no shard"
          + " had cut off: open it with a larger one until consumers have caught up.";

  /** Prints each tenth that is done. */
  private static final class Tenths implements RestoreProgress {

    private long printed;

    @Override
    public void restored(long objects, long bytes, long bytesMax, long position) {
      long tenths = bytesMax == 0 ? 0 : Math.min(10, 10 * bytes / bytesMax);
      if (tenths > printed) {
        printed = tenths;
        System.out.println(10 * tenths + " % of " + bytesMax + " bytes");
      }
    }
  }

  private final LongSupplier nanoTime;

  /** Created by the command line library. */
  ClusterRestoreVerb() {
    this(System::nanoTime);
  }

  /**
   * @param nanoTime what {@link System#nanoTime} gives
   */
  ClusterRestoreVerb(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Option(
      names = "--from",
      paramLabel = "STORE",
      required = true,
      description = "The directory of an archive, a backup, or a data directory.")
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
      description = "1 to 128; as many as a cluster had, for bookmarks and its archive to go on.")
  private int shards;

  @Option(
      names = "--at",
      paramLabel = "TIME",
      description = "A time such as 2026-11-23T09:30:00Z (default: the latest state).")
  private @Nullable String at;

  @Option(
      names = "--dry-run",
      description =
          "Checks a data directory or a backup, says what would be done, and does nothing.")
  private boolean isDryRun;

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
    Path source = ClusterCommand.existing(Path.of(from));
    boolean isDirectory = Files.isDirectory(source.resolve("journal"));
    int archived = isDirectory ? 0 : ClusterHoldfast.archivedShards(new DirectoryArchive(source));
    ClusterOptions options = first.options(shards);
    if (isDryRun && !isDirectory) {
      throw new WrongInputException(
          "--dry-run checks a data directory or a backup, and " + from + " is an archive");
    }
    if (archived != shards) {
      System.out.println(LOST);
    }
    if (archived > 0 && shards % archived != 0) {
      System.out.println(AGAIN);
    }
    if (isDryRun) {
      RestoreResult found = ClusterHoldfast.checkRestore(source);
      System.out.printf(
          Locale.ROOT,
          "%s can be restored: %,d bytes, up to position %d. As much room is needed at %s, and as"
              + " much again with --at. Nothing was changed.%n",
          from,
          found.bytes(),
          found.position(),
          to);
      return 0;
    }
    List<RestoreResult> restored;
    long begun = nanoTime.getAsLong();
    RestoreRequest request = RestoreRequest.of(target(at)).withProgress(new Tenths());
    try {
      restored =
          isDirectory
              ? ClusterHoldfast.restore(source, to, options, request)
              : ClusterHoldfast.restore(new DirectoryArchive(source), to, options, request);
    } catch (IllegalArgumentException e) {
      throw new WrongInputException(String.valueOf(e.getMessage()));
    }
    System.out.printf(
        Locale.ROOT,
        "Restored %,d MB in %.1f s.%n",
        restored.stream().mapToLong(RestoreResult::bytes).sum() / MEGABYTE,
        (nanoTime.getAsLong() - begun) / NANOS_PER_SECOND);
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
