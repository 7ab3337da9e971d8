package dev.holdfast.log.ratis;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;

/**
 * What Ratis calls with the entries of a shard and with what happens to its member. A snapshot of
 * it is only a statement: the replica has everything up to an index by itself.
 *
 * <p>Ratis calls most of this with locks of its own, so what happens is only handed over.
 */
final class ShardStateMachine extends BaseStateMachine implements StateMachine.DataApi {

  private static final CompletableFuture<Message> APPLIED =
      CompletableFuture.completedFuture(Message.EMPTY);

  /** What the log of the shard does with it. */
  interface Log {

    /** {@return where the log may begin, as its file says} */
    @Nullable TermIndex compacted() throws IOException;

    /**
     * Passes an entry on, and throws nothing that the replica throws. Called by one thread, in log
     * order; also for entries that the replica has already, and after it has failed.
     */
    void apply(long index, ByteBuffer entry);

    /**
     * Decides how much of the log is dropped now, and makes that durable.
     *
     * @param applied the last entry that this state machine was given in this run
     * @return the last entry that is dropped; null for none
     */
    @Nullable TermIndex compact(long applied) throws IOException;

    /** These nodes keep the log, as a majority has agreed. */
    void configured(Configuration agreed);

    /** {@return whether this node keeps the log, as far as it knows} */
    boolean isMember();

    /** {@return whether a log that begins with this entry lacks nothing that this member needs} */
    boolean isContinuedBy(long firstIndex);

    /** The member may lead from now on, or no longer. */
    void mayLead(boolean yes);

    /**
     * Brings the replica forward, because it has nothing, or the leader has dropped entries that it
     * lacks.
     *
     * @param first the first entry that the leader has
     * @return the entry that the replica has then; null if it takes the log from its start; a
     *     failure if that is to be tried again
     */
    CompletableFuture<@Nullable TermIndex> fetch(long first);

    /**
     * Lets a leader ask again whether the replica is to be brought forward, and entries come: Ratis
     * takes neither while such a question is not answered.
     *
     * @param first what the leader has said that asked
     */
    void askAgain(long first);

    /** The log has taken an entry back that the replica has. Called with a lock of Ratis. */
    void takenBack(long index);

    /** The member cannot go on. */
    void stopped(String why, @Nullable Throwable cause);
  }

  private record Compacted(TermIndex termIndex) implements SnapshotInfo {

    @Override
    public TermIndex getTermIndex() {
      return termIndex;
    }

    @Override
    public List<FileInfo> getFiles() {
      return List.of();
    }
  }

  /**
   * What a fetch has brought.
   *
   * @param place the entry that the replica has; null if it takes the log from its start
   */
  private record Fetched(@Nullable TermIndex place) {

    /**
     * {@return whether the log has followed since: the leader of then had all entries and asked
     * nothing, so this answers no question any more}
     */
    boolean isOld(long applied) {
      return (place == null ? RatisLog.NONE : place.getIndex()) < applied;
    }
  }

  /** The file in which Ratis keeps the members, beside the entries. */
  private static final String MEMBERS_NAME = "raft-meta.conf";

  private final Log log;
  private final Disk disk;
  private volatile @Nullable Path members;
  private volatile @Nullable Compacted compacted;

  /** What Ratis has not heard yet. */
  private final AtomicReference<@Nullable Fetched> fetched = new AtomicReference<>();

  private volatile boolean isPaused;

  /** The last entry that the replica has, or is just given; {@link RatisLog#NONE} if none. */
  private volatile long applied;

  /**
   * @param applied the last entry that the replica has from earlier runs; {@link RatisLog#NONE} if
   *     it has none
   */
  ShardStateMachine(Log log, Disk disk, long applied) {
    this.log = log;
    this.disk = disk;
    this.applied = applied;
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
      throws IOException {
    super.initialize(server, group, storage);
    VoteFile.takeOver(storage, disk, this::unwritable); // read next, and not written before
    members = storage.getStorageDir().getCurrentDir().toPath().resolve(MEMBERS_NAME);
    TermIndex start = log.compacted();
    if (start != null) {
      compacted = new Compacted(start);
      setLastAppliedTermIndex(start);
    }
  }

  @Override
  public @Nullable SnapshotInfo getLatestSnapshot() {
    return compacted;
  }

  @Override
  public TransactionContext startTransaction(RaftClientRequest request) {
    return TransactionContext.newBuilder().setStateMachine(this).setClientRequest(request).build();
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext context) {
    LogEntryProto entry = context.getLogEntry();
    if (entry == null) {
      throw new IllegalStateException("Ratis gave no entry to apply.");
    }
    applied = Math.max(applied, entry.getIndex());
    ByteBuffer bytes = entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer();
    if (bytes.hasRemaining()) { // nobody proposes others now, but logs may have them
      log.apply(entry.getIndex(), bytes);
    }
    updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
    return APPLIED;
  }

  /**
   * The entries from here on give way to those of another leader. If the replica has one of them,
   * it was given what no majority had, and is not like the others any more.
   */
  @Override
  public CompletableFuture<Void> truncate(long index) {
    if (index <= applied) {
      log.takenBack(index);
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public long takeSnapshot() throws IOException {
    TermIndex dropped = log.compact(getLastAppliedTermIndex().getIndex());
    if (dropped == null) {
      return RaftLog.INVALID_LOG_INDEX;
    }
    raise(dropped);
    return dropped.getIndex();
  }

  @Override
  public void notifyLeaderReady() {
    log.mayLead(true);
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pending) {
    log.mayLead(false);
  }

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
    if (!member.getPeerId().equals(leader)) {
      log.mayLead(false);
    }
  }

  /**
   * Ratis has written the members just before. A full disk leaves an empty file, which it only
   * logs: opened again once the entry is dropped, the log would count the votes of the first ones.
   */
  private void requireMembersWritten() {
    try {
      Path file = members;
      if (file != null && Files.size(file) == 0) {
        unwritable(new IOException("The file is empty: " + file));
      }
    } catch (IOException e) {
      unwritable(e);
    }
  }

  private void unwritable(@Nullable Throwable why) {
    log.stopped(
        "The log cannot be written. Make room on the disk, or repair it, and open the shard here"
            + " again; the other nodes go on",
        why);
  }

  @Override
  public void notifyConfigurationChanged(long term, long index, RaftConfigurationProto agreed) {
    requireMembersWritten();
    Map<NodeId, String> members = new HashMap<>();
    Stream.of(agreed.getOldPeersList(), agreed.getPeersList())
        .flatMap(List::stream)
        .forEach(each -> members.put(new NodeId(each.getId().toStringUtf8()), each.getAddress()));
    Configuration stable = Configuration.of(index, members);
    log.configured(
        agreed.getOldPeersCount() == 0
            ? stable
            : new Configuration(index, stable.members(), /* isChanging= */ true));
  }

  @Override
  public void notifyLogFailed(@Nullable Throwable cause, @Nullable LogEntryProto entry) {
    unwritable(cause);
  }

  @Override
  public CompletableFuture<TermIndex> notifyInstallSnapshotFromLeader(
      RoleInfoProto role, TermIndex firstOfLeader) {
    long first = firstOfLeader.getIndex();
    Fetched known = fetched.getAndSet(null);
    Fetched last = known == null || known.isOld(applied) ? null : known;
    TermIndex brought = last == null ? null : last.place();
    if (brought != null && brought.getIndex() >= first - 1) {
      raise(brought);
      return CompletableFuture.completedFuture(brought);
    }
    boolean hasAll = last != null && brought == null && first <= RatisLog.FIRST_OF_REPLICAS;
    if (hasAll || log.isContinuedBy(first)) {
      // A leader says this to every node that is added, also if its log has all entries.
      return CompletableFuture.completedFuture(null); // nothing is installed: the log follows
    }
    var _ =
        log.fetch(first)
            .whenComplete(
                (place, failure) -> {
                  if (failure == null) {
                    fetched.set(new Fetched(place));
                  }
                  log.askAgain(first);
                });
    // Not answered: meanwhile another leader may have come, which has more entries, or says nothing
    // as it has all that are needed. The one of then is answered. A failure would have the same
    // effect, and Ratis reports it as an error.
    return new CompletableFuture<>();
  }

  /** A replica that was brought forward is stated here, and Ratis drops its log up to there. */
  private synchronized void raise(TermIndex entry) {
    Compacted known = compacted;
    if (known == null || known.termIndex().getIndex() < entry.getIndex()) {
      compacted = new Compacted(entry);
    }
  }

  @Override
  public void pause() {
    isPaused = true;
  }

  @Override
  public LifeCycle.State getLifeCycleState() {
    return isPaused ? LifeCycle.State.PAUSED : super.getLifeCycleState();
  }

  /** Called by the thread that applies entries: the next one is that after the statement. */
  @Override
  public void reinitialize() {
    Compacted known = compacted;
    if (known != null) {
      setLastAppliedTermIndex(known.termIndex());
    }
    isPaused = false;
  }

  @Override
  public void close() {
    log.stopped(
        log.isMember()
            ? "Ratis has closed its member. Open the shard here again"
            : "This node does not keep the shard, or not any more",
        null);
  }
}
