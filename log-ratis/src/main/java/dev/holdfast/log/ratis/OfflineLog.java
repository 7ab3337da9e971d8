package dev.holdfast.log.ratis;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.ConfigurationChangeException;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.util.SizeInBytes;
import org.jspecify.annotations.Nullable;

/**
 * The log of a shard as a node that does not run has left it. Passes <em>every</em> entry to the
 * replica that it does not have, also those of which the node did not know whether a majority had
 * them: it may have acknowledged them with others. Takes no proposals, and changes no file.
 *
 * <p>Owned by one thread.
 */
public final class OfflineLog implements ReplicatedLog {

  /** What a log had. */
  public enum Condition {
    /** All entries could be read. */
    WHOLE,
    /** The newest file is damaged: the entries from the damage on are lost. */
    DAMAGED_AT_THE_END,
    /** There is no log. */
    MISSING,
    /** The log has taken back what the replica has, so the replica is not like the others. */
    TAKEN_BACK
  }

  private static final String ENTRIES = "current";

  /** The name of a file that is full says what its last entry is. */
  private static final Pattern CLOSED = Pattern.compile("log_\\d+-(\\d+)");

  /** The name of a file says what its first entry is. */
  private static final Pattern ENTRY_FILE = Pattern.compile("log_(?:inprogress_)?(\\d+).*");

  private final Path directory;
  private final int shard;
  private long last;

  /** Of the last entry that the replica has; empty if the log begins after it, or ends before. */
  private OptionalLong termOfApplied = OptionalLong.empty();

  /**
   * Names a log; it is not read yet.
   *
   * @param shards where the logs of the node are, in {@code 0003/log} for shard 3
   * @param cluster the name of the cluster, as {@link RatisOptions} has it
   * @param shard the number of the shard
   */
  public OfflineLog(Path shards, String cluster, int shard) {
    this.directory =
        RatisNode.directoryOf(shards, shard)
            .resolve(RatisNode.groupOf(cluster, shard).getUuid().toString());
    this.shard = shard;
  }

  /**
   * Reads all entries and passes none, so that nothing is changed before the condition is known.
   *
   * @param applied the last entry that the replica has; empty if it has none
   * @return what the log has
   * @throws DataDirectoryException as {@link #start}
   */
  public Condition examine(OptionalLong applied) {
    Condition found = read(applied.orElse(RatisLog.NONE), _ -> {});
    boolean isTakenBack =
        Files.exists(directory.resolveSibling(CompactedFile.TAKEN_BACK_NAME))
            || Files.exists(directory.resolveSibling(CompactedFile.SET_ASIDE_NAME));
    return found == Condition.WHOLE && isTakenBack ? Condition.TAKEN_BACK : found;
  }

  /**
   * Passes the entries to the replica, all before this returns.
   *
   * @throws DataDirectoryException if a file cannot be read, or entries are missing between two
   *     others or between the replica and the log
   */
  @Override
  public void start(Replica replica) {
    read(replica.appliedIndex().orElse(RatisLog.NONE), entry -> pass(entry, replica));
  }

  /**
   * {@return the place of the last entry that says which nodes keep the log; empty if the log has
   * none}
   *
   * @throws DataDirectoryException as {@link #start}
   */
  public OptionalLong newestConfiguration() {
    long[] newest = {RatisLog.NONE};
    Condition found =
        read(
            RatisLog.NONE,
            entry -> {
              if (entry.hasConfigurationEntry()) {
                newest[0] = entry.getIndex();
              }
            });
    return found == Condition.MISSING || newest[0] == RatisLog.NONE
        ? OptionalLong.empty()
        : OptionalLong.of(newest[0]);
  }

  private Condition read(long applied, Consumer<LogEntryProto> target) {
    last = applied;
    termOfApplied = OptionalLong.empty();
    if (!Files.isDirectory(directory)) {
      return Condition.MISSING;
    }
    try {
      List<LogSegmentPath> files = files();
      boolean isWhole = true;
      for (int i = 0; i < files.size(); i++) {
        isWhole = isRead(files.get(i), i == files.size() - 1, applied, target);
      }
      return isWhole ? Condition.WHOLE : Condition.DAMAGED_AT_THE_END;
    } catch (IOException | IllegalStateException e) {
      throw unreadable(String.valueOf(e.getMessage()), e);
    }
  }

  /** {@inheritDoc} Also if that cannot be found out. */
  @Override
  public boolean mayHave(long index) {
    for (int list = 0; list < 2; list++) { // a file that is being renamed may be missing in one
      if (has(index)) {
        return true;
      }
    }
    return false;
  }

  private boolean has(long index) {
    try {
      return files().stream()
          .map(file -> ENTRY_FILE.matcher(String.valueOf(file.getPath().getFileName())))
          .anyMatch(name -> !name.matches() || Long.parseLong(name.group(1)) <= index);
    } catch (IOException e) {
      return true;
    }
  }

  /** {@return the files that have entries, in their order} */
  List<LogSegmentPath> files() throws IOException {
    List<LogSegmentPath> found = new ArrayList<>();
    try (Stream<Path> all = Files.list(directory.resolve(ENTRIES))) {
      for (Path each : all.toList()) {
        LogSegmentPath file = LogSegmentPath.matchLogSegment(each);
        if (file != null && Files.size(each) > 0) { // a file that was begun has no entry
          found.add(file);
        }
      }
    }
    found.sort(Comparator.comparing(LogSegmentPath::getStartEnd));
    return found;
  }

  /** {@return whether the file is whole; one that is not, and is not the newest, is an error} */
  private boolean isRead(
      LogSegmentPath file, boolean isNewest, long applied, Consumer<LogEntryProto> target)
      throws IOException {
    try {
      LogSegment.readSegmentFile(
          file.getPath().toFile(),
          file.getStartEnd(),
          SizeInBytes.valueOf(RatisSettings.APPENDER_BYTES),
          CorruptionPolicy.EXCEPTION,
          null,
          entry -> take(entry, applied, target));
    } catch (IOException e) {
      if (!isNewest) {
        throw e;
      }
      return false;
    }
    Matcher closed = CLOSED.matcher(String.valueOf(file.getPath().getFileName()));
    boolean isWhole = !closed.matches() || last >= Long.parseLong(closed.group(1));
    if (!isWhole && !isNewest) {
      throw unreadable("the file " + file.getPath() + " ends too early", null);
    }
    return isWhole;
  }

  private void take(LogEntryProto entry, long applied, Consumer<LogEntryProto> target) {
    long index = entry.getIndex();
    // A log of which the first one was dropped lacks nothing of a replica that has none.
    if (index > Math.max(last + 1, RatisLog.FIRST_OF_REPLICAS)) {
      throw unreadable("entries " + (last + 1) + " to " + (index - 1) + " are missing", null);
    }
    if (index == applied) {
      termOfApplied = OptionalLong.of(entry.getTerm());
    }
    if (index > applied) {
      target.accept(entry);
    }
    last = Math.max(last, index);
  }

  private static void pass(LogEntryProto entry, Replica replica) {
    ByteBuffer bytes = entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer();
    if (bytes.hasRemaining()) { // else it changes the members
      replica.apply(entry.getIndex(), bytes);
    }
  }

  private DataDirectoryException unreadable(String why, @Nullable Throwable cause) {
    return new DataDirectoryException(
        directory,
        "The log of shard "
            + shard
            + " cannot be read: "
            + why
            + ". What follows may have been acknowledged. Use the copy of another node",
        cause);
  }

  /** Refuses the entry: this log only gives what it has. */
  @Override
  public void propose(ByteBuffer entry, Runnable refused) {
    refused.run();
  }

  /** Drops nothing. */
  @Override
  public void compactTo(long index) {
    // The reader of the log decides what becomes of the files.
  }

  /** No other node goes on with this log. */
  @Override
  public OptionalLong termOf(long index) {
    return OptionalLong.empty();
  }

  /**
   * {@return whether the log has more after this entry, up to which it was {@link #examine
   * examined}, and no other one in its place}
   */
  boolean goesOnAfter(TermIndex entry) {
    return last > entry.getIndex() && termOfApplied.orElse(entry.getTerm()) == entry.getTerm();
  }

  /** {@return the last entry that was read; that of the replica if the log ends before} */
  long last() {
    return last;
  }

  /** No other node is asked. */
  @Override
  public void transferTo(NodeId node) {
    // Nobody leads.
  }

  /** Nobody keeps the log any more. */
  @Override
  public Configuration configuration() {
    return Configuration.of(Configuration.NO_ENTRY, Map.of());
  }

  /** Refuses the change. */
  @Override
  public CompletableFuture<Void> change(Configuration expected, Map<NodeId, String> wanted) {
    return CompletableFuture.failedFuture(
        new ConfigurationChangeException(
            "The log of a node that does not run is not changed", null));
  }

  /** The replica reports its failure by itself. */
  @Override
  public void abandon(RuntimeException why) {
    // Nobody else takes part.
  }

  @Override
  public void close() {
    // Files are closed when they are read.
  }
}
