package dev.holdfast.journal.shard;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.JournalTail;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.group.CommitStatistics;
import dev.holdfast.journal.group.PendingRecord;
import dev.holdfast.journal.image.ImageMaker;
import dev.holdfast.journal.image.OutgoingImage;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.journal.retention.Retention;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.backup.JournalCopy;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.statistics.StorageEvents;
import dev.holdfast.statistics.JournalStatistics;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a shard while this node owns it. A record is durable when a majority of the nodes
 * has it and no other node has opened the shard before. The journal fails when the ownership ends,
 * with an {@link dev.holdfast.spi.log.OwnershipLostException} as the cause.
 *
 * <p>While it is open, this node decides how far back the history of the shard reaches, and which
 * of a single object is purged. Thread-safe.
 */
public final class ShardJournal implements Journal {

  /**
   * Maximum length of a payload in bytes. The parts of a group wait for the log together, which
   * takes 64 MiB that wait, with the events of the turn. It gives up what is more, and with it the
   * ownership.
   */
  static final int RECORD_BYTES_MAX = SHARD_PAYLOAD_BYTES_MAX;

  /**
   * Callers of the owner before come at once; their objects are opened, and their writes synced.
   */
  private static final long SAVED_AFTER_NANOS = 1_000_000_000;

  private final ShardCommit commit;
  private final CommitStatistics statistics;
  private final Supplier<ShardRecoveryLog> recovery;
  private final ShardMark mark;
  private final SealedSegments sealed;
  private final Parts parts;
  private final ShardRetention retention;
  private final JournalHistory given;
  private final SegmentHistory segmentHistory;
  private final ShardPurge purge;

  /** The lowest position that the views of this node need, as the last review has found it. */
  private volatile long lowWaterMark = 1;

  private volatile TimeSource.@Nullable Timer nextReview;

  /** Called when the release was proposed; null if the shard is not moved, or it was called. */
  private final AtomicReference<@Nullable Runnable> released = new AtomicReference<>();

  private volatile boolean moves;

  /** Read when it is first needed: a round may be under way when the ownership begins. */
  private @Nullable ShardRecoveryLog recoveryLog;

  /**
   * What a journal shares with its replica.
   *
   * @param log takes the entries of this ownership
   * @param progress has the low-water mark
   * @param images gives files of the objects to other nodes
   * @param imageState gives what other nodes must know of such files
   * @param reviewSoon lets the saver {@linkplain #review review} the journal, if it is the present
   *     one then
   * @param members what the replicas have
   * @param copiedFrom as {@link ShardReplica#copiedFrom}
   * @param purged says which purge this node has done, as {@link ReplicaSource#purged} does
   * @param lease that of the ownership
   */
  record Parts(
      JournalOptions options,
      ShardHost host,
      OwnedLog log,
      Segments segments,
      SegmentSupply supply,
      ReplicaProgress progress,
      OutgoingImage images,
      Function<ViewImage, Map<String, byte[]>> imageState,
      Runnable reviewSoon,
      ShardRetention.Members members,
      LongSupplier copiedFrom,
      LongSupplier purged,
      Lease lease) {}

  /**
   * @param start the replica when the ownership begins
   * @param recovery gives the records of the earlier ownerships, once no round is under way
   */
  ShardJournal(
      SavedPoint start, SegmentHistory history, Supplier<ShardRecoveryLog> recovery, Parts parts) {
    ShardHost host = parts.host();
    this.parts = parts;
    this.statistics = new CommitStatistics(host.time(), StorageEvents.NONE);
    this.recovery = recovery;
    this.sealed =
        new SealedSegments(
            parts.options().disk(),
            parts.segments(),
            history.journalId(),
            parts.progress()::durable);
    this.commit =
        new ShardCommit(
            new ShardCommit.Setup(
                parts.options(),
                host.time(),
                parts.log(),
                parts.supply(),
                statistics,
                host.proposer(),
                host.notifier(),
                parts.lease()),
            start);
    this.retention =
        new ShardRetention(
            parts.options(), host.time(), parts.segments(), history, parts.members(), this::retain);
    this.given = retention.given();
    this.segmentHistory = history;
    this.mark = new ShardMark(commit, parts.segments(), parts.options().heldSegmentsMax());
    this.purge =
        new ShardPurge(
            new ShardPurge.Ports(
                commit,
                parts.log(),
                host,
                parts.progress(),
                parts.copiedFrom(),
                parts.purged(),
                parts.options().salts(),
                parts.reviewSoon()));
  }

  private void retain(long position) {
    parts.log().propose(new LogEntry.Retain(epoch(), position, parts.host().time().wallMillis()));
  }

  ShardCommit commit() {
    return commit;
  }

  /** {@return the segments that nothing is written to any more: other nodes may need them} */
  public SealedSegments sealed() {
    return sealed;
  }

  /** {@return a reader of what is durable, for an archive} */
  public JournalTail tail() {
    return new JournalTail(parts.segments(), segmentHistory, this::durablePosition);
  }

  /**
   * {@return what must be known of files of the objects where they are put in the place of a copy
   * of the shard, as further files by their names}
   *
   * @param image the files
   * @throws JournalFailedException if the ownership has ended
   */
  public Map<String, byte[]> stateOf(ViewImage image) {
    return parts.imageState().apply(image);
  }

  /** {@return the index of the entry with which the ownership began} */
  public long epoch() {
    return commit.epoch();
  }

  /**
   * Calls a listener once it is known that this node still owned the shard when this was called: a
   * reply that was made before may leave then, though nothing was written. It is called with the
   * failure if that never will be known. The listener runs on a thread of the node, or on the
   * calling thread if the journal has failed, and must be short.
   *
   * @param listener the listener to call
   */
  public void whenProven(DurabilityListener listener) {
    commit.whenProven(listener);
  }

  /**
   * States that the shard is closed because another node is to own it.
   *
   * @param given called once by the thread that closes the journal, when the release was proposed
   */
  public void move(Runnable given) {
    released.set(given);
    moves = true;
  }

  @Override
  public boolean isSavedAtClose() {
    return !moves;
  }

  @Override
  public long savedAfterNanos() {
    return SAVED_AFTER_NANOS;
  }

  @Override
  public boolean needsProof() {
    return true;
  }

  @Override
  public void awaitProven(long position) {
    commit.awaitProven(position);
  }

  @Override
  public boolean isLeased() {
    return parts.lease().isRunning(commit::whenProven);
  }

  /** The replica has accepted a group of this ownership. Called in log order. */
  void accepted(LogEntry.Group group, long lastPosition) {
    parts.lease().whenWaited(() -> commit.accepted(group, lastPosition));
  }

  /**
   * {@return the records of the earlier ownerships, from the low-water mark of this node on} Call
   * it when no round is under way, see {@link ShardReplica#beginRound}.
   */
  public RecoveryLog recoveryLog() {
    return recovered();
  }

  private synchronized ShardRecoveryLog recovered() {
    ShardRecoveryLog known = recoveryLog;
    if (known == null) {
      known = recovery.get();
      recoveryLog = known;
    }
    return known;
  }

  /**
   * {@return the history of every object, without the checkpoints of other nodes: for views that
   * repair their own files}
   */
  public JournalHistory ownHistory() {
    return recovered().history();
  }

  /**
   * Begins to ask the views which records they need.
   *
   * @param views the views of the journal, recovered
   */
  public void start(List<? extends JournalView> views) {
    mark.start(views);
    reviewAgainIn(SAVED_AFTER_NANOS); // history may have become too old while the shard rests
  }

  /**
   * Begins to give files of the objects to other nodes that ask for them.
   *
   * @param maker copies the files, until {@link #keepFiles}
   */
  public void giveFiles(ImageMaker maker) {
    parts.images().offer(maker, this::durableMark, parts.imageState());
  }

  /** Gives no files any more: the objects are about to be closed. */
  public void keepFiles() {
    parts.images().withdraw();
  }

  /**
   * Begins a copy of the files of the views. The segments are not part of it: other nodes get them
   * in another way, and those that they need stay as long as the copy.
   *
   * @return what the copies need of the journal
   */
  public JournalCopy beginCopy() {
    return new WithoutSegments(given.journalId(), durableMark());
  }

  private long durableMark() {
    return parts.progress().durable().lowWaterMark();
  }

  private record WithoutSegments(long journalId, long lowWaterMark) implements JournalCopy {

    @Override
    public void copySegments() {}

    @Override
    public void copyUpTo(long endPosition) {}

    @Override
    public void close() {}
  }

  /** Called by the saver of the replica. */
  void review() {
    long reviewed = mark.review();
    mark.askForCheckpoints(reviewed);
    parts.progress().mark(reviewed);
    lowWaterMark = Math.max(lowWaterMark, reviewed);
    List<JournalView> views = mark.views();
    if (views != null && failure() == null) {
      long retentionNanos = retention.review(reviewed, views);
      long purgeNanos = purge.review(views);
      reviewAgainIn(
          purgeNanos != Retention.NEVER && retentionNanos != Retention.NEVER
              ? Math.min(purgeNanos, retentionNanos)
              : Math.max(purgeNanos, retentionNanos));
    }
  }

  /** History becomes too old by the clock alone. */
  private void reviewAgainIn(long nanos) {
    cancelReview();
    nextReview =
        nanos == Retention.NEVER ? null : parts.host().time().schedule(nanos, parts.reviewSoon());
  }

  private void cancelReview() {
    TimeSource.Timer scheduled = nextReview;
    if (scheduled != null) {
      scheduled.cancel();
    }
  }

  /** {@return the history of every object, as all nodes give it} */
  public JournalHistory history() {
    return given;
  }

  /** {@return the most bytes that the segments are to have; the largest long for no limit} */
  public long historyBytesMax() {
    return retention.bytesMax();
  }

  @Override
  public List<HealthReason> troubles() {
    List<HealthReason> troubles = new ArrayList<>(retention.troubles());
    troubles.addAll(purge.troubles());
    return troubles;
  }

  @Override
  public int payloadBytesMax() {
    return RECORD_BYTES_MAX;
  }

  @Override
  public long append(
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload,
      @Nullable ByteBuffer events) {
    return commit.append(PendingRecord.of(kind, viewId, key, link, payload, events));
  }

  @Override
  public long lastPosition() {
    return commit.lastPosition();
  }

  @Override
  public long durablePosition() {
    return commit.durablePosition();
  }

  @Override
  public void awaitDurable(long position) {
    commit.awaitDurable(position);
  }

  @Override
  public void whenDurable(long position, DurabilityListener listener) {
    commit.whenDurable(position, listener);
  }

  @Override
  public JournalStatistics statistics() {
    long durablePosition = durablePosition();
    ShardRetention.Measured measured = retention.measured();
    long sinceMillis = measured.sinceMillis();
    return new JournalStatistics(
        Math.max(lastPosition(), durablePosition),
        durablePosition,
        statistics.recordsPerGroup(),
        statistics.syncNanos(),
        statistics.proofNanos(),
        statistics.bytes(),
        statistics.waiters(),
        parts.segments().count(),
        measured.segmentBytes() + parts.supply().bytes(),
        lowWaterMark,
        retention.from(),
        sinceMillis == Long.MAX_VALUE ? null : Instant.ofEpochMilli(sinceMillis));
  }

  @Override
  public @Nullable RuntimeException failure() {
    return commit.failure();
  }

  @Override
  public void onFailure(FailureListener listener) {
    commit.onFailure(listener);
  }

  /**
   * {@inheritDoc}
   *
   * @throws JournalFailedException if this node does not own the shard any more, as far as it knows
   */
  @Override
  public void requireOwnership() {
    commit.throwIfFailed();
  }

  /** A purge of this ownership is accepted. Called in log order. */
  void purging(long index, LogEntry.Purge entry) {
    purge.accepted(index, entry);
  }

  /**
   * Fails while files of the objects may have what was purged from the segments of this node.
   *
   * @throws JournalFailedException if they may
   */
  void requireErased() {
    if (purge.isErasing()) {
      throw new JournalFailedException(
          "The files of the objects are being purged; they are given afterwards.", null);
    }
  }

  @Override
  public CompletableFuture<Void> purge(ObjectKey key, long upTo) {
    return purge.purge(key, upTo);
  }

  /**
   * Begins a segment.
   *
   * @return completes with its first position, when no view, archive or consumer needs an earlier
   *     one; fails when the ownership ends
   */
  public CompletableFuture<Long> settle() {
    return purge.settle();
  }

  @Override
  public CompletableFuture<Void> whenPurgedElsewhere(ObjectKey key) {
    return purge.elsewhere(key);
  }

  /** Makes everything appended durable, and gives the shard up. Appending afterwards fails. */
  @Override
  public void close() {
    keepFiles();
    commit.close();
    Runnable given = released.getAndSet(null);
    if (given != null) {
      given.run();
    }
    cancelReview();
    parts.progress().mark(mark.review());
  }
}
