package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.image.IncomingImage;
import dev.holdfast.journal.image.OutgoingImage;
import dev.holdfast.journal.image.ReplicaImage;
import dev.holdfast.journal.retention.CopyHold;
import dev.holdfast.journal.retention.GivenHistory;
import dev.holdfast.journal.retention.OldSegments;
import dev.holdfast.journal.retention.SegmentBegins;
import dev.holdfast.journal.retention.SegmentRemoval;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.LogEntry;
import dev.holdfast.spi.log.LogPlace;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.OwnershipLostException;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A node's copy of the journal of a shard: applies the entries of the log, all replicas alike.
 *
 * <p>Groups are written to segments without a sync: the log has them on a majority. Every 16 MiB,
 * or a second after an entry, the segments are synced in the background and {@code saved} states
 * what is durable here; then the log may drop it.
 *
 * <p>An error of the disk, or an entry that cannot be applied, stops the replica for good: to pass
 * over an entry would make replicas differ. It is opened again, or removed.
 *
 * <p>{@link #apply}, {@link #mayLead} and {@link #configured} are called by the log; everything
 * else is thread-safe.
 */
public final class ShardReplica implements Replica, AutoCloseable {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  static final String JOURNAL_DIRECTORY = "journal";

  private static final long UNSAVED_BYTES_MAX = 16L << 20;
  private static final long UNSAVED_NANOS_MAX = 1_000_000_000;

  private final Path directory;
  private final JournalOptions options;
  private final ShardHost host;
  private final Segments segments;
  private final SegmentSupply supply;
  private final ReplicaSegments written;
  private final IncomingParts incoming;
  private final SavedFile savedFile;
  private final ReplicaRounds rounds;
  private final OutgoingImage images;
  private final SegmentBegins begins = new SegmentBegins();
  private final CopyHold hold;
  private final AtomicBoolean saveScheduled = new AtomicBoolean();

  /** Held while an entry is applied, so that a save sees all of it or nothing. */
  private final ReentrantLock lock = new ReentrantLock();

  /** Held while segments of another node are fetched. */
  private final ReentrantLock fetching = new ReentrantLock();

  private volatile boolean isFetching;

  private final long incarnation;

  private volatile SavedPoint applied;
  private volatile SavedPoint saved;

  /** What {@link #savedFile} has, as the saver wrote it last. */
  private volatile Saved durable;

  /** The first position that the views need, by the last owner on this node, or round. */
  private volatile long lowWaterMark;

  /** About how many bytes of records are applied, and durable here, and read by no round yet. */
  private volatile long behindBytes;

  private volatile @Nullable NodeId owner;
  private volatile @Nullable ReplicatedLog log;
  private volatile @Nullable SegmentHistory history;
  private volatile @Nullable OldSegments old;
  private volatile @Nullable RuntimeException failure;

  /** What the claims of this run have in common; 0 before the first one. */
  private volatile long claimed;

  private volatile boolean isClosed;

  // Guarded by lock.
  private @Nullable ShardJournal journal;
  private OwnedPositions owned;
  private long unsavedBytes;
  private long appliedBytes;

  /** How much was applied when it was last made durable, and how much of that rounds have read. */
  private long savedBytes;

  private long roundBytes;

  /** The first record of the present epoch; 0 if the epoch began before the replica was opened. */
  private long epochPosition;

  private ShardReplica(
      Path directory, JournalOptions options, ShardHost host, Segments segments, Saved found) {
    Disk disk = options.disk();
    this.directory = directory;
    this.options = options;
    this.host = host;
    this.segments = segments;
    Executor room = host.segments();
    this.supply =
        room == null
            ? new SegmentSupply(disk, segments.directory())
            : new SegmentSupply(disk, segments.directory(), room);
    this.written = new ReplicaSegments(disk, segments, supply);
    this.incoming = new IncomingParts(disk, directory);
    this.savedFile = new SavedFile(disk, directory);
    this.rounds = new ReplicaRounds(directory, new BasesFile(disk, directory));
    this.hold = new CopyHold(host.time());
    this.incarnation = found.incarnation();
    this.images =
        new OutgoingImage(disk, directory, host.time(), options.salts().getAsLong() >>> 1);
    this.applied = found.point();
    this.saved = found.point();
    this.durable = found;
    this.lowWaterMark = found.lowWaterMark();
    this.owned = found.owned();
    this.owner = found.owner();
  }

  /**
   * Opens a replica. What its files have behind its saved point is removed: the log brings it
   * again.
   *
   * @param directory the directory of the replica, created if missing; no other process uses it
   * @param options how it works: disk, sizes of segments, salts, and how long records wait for
   *     others
   * @param host what it needs of its node
   * @return the replica; {@link #start} follows
   * @throws JournalCorruptException if the newest segment is missing or damaged
   * @throws DataDirectoryException if the directory cannot be used, or was written by a newer
   *     version
   */
  public static ShardReplica open(Path directory, JournalOptions options, ShardHost host) {
    Disk disk = options.disk();
    Path journal = directory.resolve(JOURNAL_DIRECTORY);
    try {
      disk.ensureDirectory(journal);
      CatchUp.finish(disk, directory);
      IncomingImage.discard(disk, directory);
      OutgoingImage.discard(disk, directory);
      Saved found = savedOrNew(disk, directory, options);
      ReplicaSegments.removeBehind(disk, journal, found.point());
      OldSegments.removeAtOpening(disk, journal, found.removable());
      SealedSegments.discardCopies(disk, journal);
      CatchUp.discardOld(disk, journal, found.point().segment());
      ShardReplica replica =
          new ShardReplica(directory, options, host, Segments.list(disk, journal), found);
      replica.supply.adopt();
      replica.incoming.discard();
      replica.written.resume(found.point());
      replica.knowHistory();
      long rounds = replica.rounds.bases(found.point().journalId()).end();
      replica.knowBehind(Math.max(rounds + 1, found.lowWaterMark()));
      replica.begins.at(found.point().index(), found.point().segment());
      return replica;
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The replica of the shard cannot be opened", e);
    }
  }

  /** The incarnation is durable before anything is appended in its name. */
  private static Saved savedOrNew(Disk disk, Path directory, JournalOptions options)
      throws IOException {
    SavedFile file = new SavedFile(disk, directory);
    Saved found = file.read();
    if (found != null) {
      return found;
    }
    Saved made = Saved.empty(options.salts().getAsLong());
    file.write(made);
    return made;
  }

  private void knowHistory() {
    long journalId = applied.journalId();
    if (journalId != 0 && history == null) {
      SegmentHistory known =
          new SegmentHistory(
              options.disk(),
              segments,
              new SegmentHistory.Ends(this::lastPosition, supply::bytes),
              host.time(),
              journalId);
      history = known;
      old =
          new OldSegments(
              segments,
              new SegmentRemoval(options.disk(), segments, supply, known),
              options.segmentBytes(),
              this::copiedFrom,
              host.time(),
              this::saveIfOpen);
    }
  }

  /** Counts records that were not applied one by one: about, by the size of their segments. */
  private void knowBehind(long position) {
    SegmentHistory past = history;
    if (past != null && position <= saved.lastPosition()) {
      appliedBytes += past.bytesFrom(position);
      savedBytes = appliedBytes;
      behindBytes = savedBytes - roundBytes;
    }
  }

  /**
   * Begins to apply the entries of the log.
   *
   * @param shardLog the log of the shard; closed by the caller, before this replica
   * @throws JournalFailedException if the replica was stopped before
   */
  public void start(ReplicatedLog shardLog) {
    throwIfFailed();
    log = shardLog;
    NodeId last = owner;
    if (last != null) {
      host.owner().owned(last, applied.epoch());
    }
    shardLog.start(this);
  }

  /**
   * Proposes that this node owns the shard from now on. If the log agrees, {@link
   * ShardHost.Owner#owns} follows.
   *
   * @throws IllegalStateException if the replica was not started
   */
  public void claim() {
    long nonce = claimed != 0 ? claimed : options.salts().getAsLong() | 1;
    long known = applied.journalId();
    long journalId = known != 0 ? known : options.salts().getAsLong() | 1;
    claimed = nonce;
    int version = host.owner().versionToAgree();
    if (version > host.owner().newestVersion()) {
      return; // this node does not write what the others have agreed on
    }
    LogEntry open =
        new LogEntry.Open(
            journalId,
            incarnation,
            nonce,
            host.time().wallMillis(),
            applied.lastPosition(),
            version,
            host.owner().lease().toMillis(),
            host.node());
    startedLog().propose(open.encode(version), () -> {});
  }

  private ReplicatedLog startedLog() {
    ReplicatedLog started = log;
    if (started == null) {
      throw new IllegalStateException("The replica was not started.");
    }
    return started;
  }

  /**
   * An ownership of the shard.
   *
   * @param node the owner
   * @param epoch the index of the entry that began it
   */
  public record Owned(NodeId node, long epoch) {}

  /** {@return the ownership that the last applied entry left; null if it left none} */
  public @Nullable Owned owned() {
    lock.lock();
    try {
      NodeId node = owner;
      return node == null ? null : new Owned(node, applied.epoch());
    } finally {
      lock.unlock();
    }
  }

  /** {@return the node that owns the shard, as far as this replica has applied it; null if none} */
  public @Nullable NodeId owner() {
    return owner;
  }

  /** {@return the position of the last record of this replica; 0 if there is none} */
  public long lastPosition() {
    return applied.lastPosition();
  }

  /**
   * {@return the history of every object, as all nodes give it}
   *
   * @throws IllegalStateException if no node has opened the shard yet
   */
  public JournalHistory history() {
    SegmentHistory known = history;
    if (known == null) {
      throw new IllegalStateException("No node has opened the shard yet.");
    }
    return new GivenHistory(known, () -> applied.historyFrom());
  }

  /** {@return the newest segment of which every member has the beginning; 0 if none is known} */
  private long heldByAll() {
    OptionalLong held = startedLog().heldByAll();
    return held.isEmpty() ? 0 : begins.until(held.getAsLong());
  }

  private long historyFrom() {
    return applied.historyFrom();
  }

  /** {@return whether a node has opened the shard, so that it has a history} */
  public boolean hasHistory() {
    return history != null;
  }

  /**
   * {@return the segments that nothing is written to any more}
   *
   * @throws IllegalStateException if no node has opened the shard yet
   */
  public SealedSegments sealed() {
    return new SealedSegments(options.disk(), segments, history().journalId());
  }

  /** {@return what this replica gives to those of other nodes} */
  public ReplicaSource source() {
    return new OwnState(
        options.disk(), segments, hold, this::current, index -> startedLog().termOf(index), images);
  }

  /**
   * {@return the first position that another node needs which is copying segments of this one, or
   * the files of its objects; the largest long if none is} No segment with it, or a later one, is
   * removed.
   */
  public long copiedFrom() {
    return Math.min(hold.floor(), images.floor());
  }

  /**
   * {@return the first position that the files of the objects on this node need after a crash: no
   * segment with it, or a later one, may be removed} It is durable, and only rises.
   */
  public long lowWaterMark() {
    return durable.lowWaterMark();
  }

  /**
   * {@return about how many bytes of records this replica has durably that no round has read since
   * it was opened}
   */
  public long behindBytes() {
    return behindBytes;
  }

  /**
   * Begins a round, which brings the files of the objects forward while another node owns the
   * shard, so that this one has less to do when it takes it. To be called by the thread that also
   * opens and closes the files for an ownership: both use the same ones.
   *
   * @param bytesMax about how much of the journal it reads
   * @param isKept the views without files: whatever they append is kept in the node's own file
   * @return the journal of the round, which ends with {@link RoundJournal#finish}; null if there is
   *     nothing to do, if this node owns the shard, if the replica has not yet applied again what
   *     the files may have, or if it has stopped
   * @throws DataDirectoryException if the replica cannot be read
   * @throws JournalCorruptException if a segment is damaged
   */
  public @Nullable RoundJournal beginRound(long bytesMax, IntPredicate isKept) {
    if (history == null || failure != null || isClosed) {
      return null;
    }
    saveSoon(); // the files must not be ahead of the segments
    awaitSaver();
    SegmentHistory past = history;
    ReplicaRounds.Start start;
    long bytes;
    lock.lock();
    try {
      if (past == null || owned.isOpen() || failure != null || isClosed) {
        return null;
      }
      start = new ReplicaRounds.Start(lowWaterMark, saved.lastPosition(), epochPosition, owned);
      bytes = savedBytes;
    } finally {
      lock.unlock();
    }
    if (start.lastPosition() < rounds.horizon(past.journalId(), start.owned())) {
      return null;
    }
    RoundJournal begun =
        rounds.begin(
            past,
            start,
            bytesMax,
            isKept,
            (end, read, mark) -> finished(mark, end == start.lastPosition() ? bytes : 0, read));
    if (begun == null) {
      roundsHaveRead(bytes, 0);
    }
    return begun;
  }

  private void finished(long position, long allBytes, long readBytes) {
    mark(position);
    roundsHaveRead(allBytes, readBytes);
    saveSoon();
  }

  /**
   * @param allBytes how much was applied if the rounds have read all of it; otherwise 0
   */
  private void roundsHaveRead(long allBytes, long readBytes) {
    lock.lock();
    try {
      roundBytes = Math.max(allBytes, Math.min(savedBytes, roundBytes + readBytes));
      behindBytes = savedBytes - roundBytes;
    } finally {
      lock.unlock();
    }
  }

  /** {@return whether segments of another node are fetched now} */
  public boolean isFetching() {
    return isFetching;
  }

  /** {@return why this replica has stopped; null while it works} */
  public @Nullable RuntimeException failure() {
    return failure;
  }

  @Override
  public OptionalLong appliedIndex() {
    return saved.entry();
  }

  @Override
  public void mayLead(boolean yes) {
    host.owner().mayLead(yes);
  }

  @Override
  public void configured(Configuration configuration) {
    host.owner().configured(configuration);
  }

  // ---------------------------------------------------------------- applying

  @Override
  public void apply(long index, ByteBuffer entry) {
    lock.lock();
    try {
      throwIfFailed();
      requireLater(index);
      switch (LogEntry.decode(entry, host.owner().newestVersion())) {
        case LogEntry.Open open -> open(index, open);
        case LogEntry.Group group -> apply(index, group);
        case LogEntry.Part part -> apply(index, part);
        case LogEntry.Release release -> apply(index, release);
        case LogEntry.Retain retain -> apply(index, retain);
      }
    } catch (IOException e) {
      throw stopped(
          new DataDirectoryException(
              directory,
              "An entry of the log cannot be written ("
                  + e.getMessage()
                  + "); this replica stops. Make room on the disk, or repair it, and open it again:"
                  + " the other nodes go on",
              e));
    } catch (RuntimeException e) {
      throw stopped(e);
    } catch (Error e) {
      stopped(
          new JournalFailedException(
              "An entry of the log was applied in part (" + e + "); open the replica again", e));
      throw e;
    } finally {
      lock.unlock();
    }
    saveInTime();
  }

  private void requireLater(long index) {
    if (index <= applied.index()) {
      throw new IllegalStateException(
          "The log gave entry " + index + " after entry " + applied.index());
    }
  }

  private void open(long index, LogEntry.Open open) throws IOException {
    requireRecordsOf(open);
    incoming.discard();
    endEpoch("Node " + open.node() + " has opened the shard at entry " + index + " of its log.");
    SavedPoint before = applied;
    long journalId = before.journalId() != 0 ? before.journalId() : open.journalId();
    // Of several owners, each may have lent until now: that of the last one need not be the
    // longest.
    long leaseMillis = Math.max(before.leaseMillis(), open.leaseMillis());
    applied = before.of(journalId).in(index).leased(leaseMillis).at(index);
    epochPosition = before.lastPosition() + 1;
    owner = open.node();
    host.owner().agreed(open.agreedVersion());
    host.owner().owned(owner, index);
    knowHistory();
    if (!open.node().equals(host.node()) || open.incarnation() != incarnation) {
      return;
    }
    OwnedPositions earlier = owned;
    owned = earlier.begin(before.lastPosition() + 1);
    SegmentHistory past = history;
    if (open.nonce() == claimed && past != null) {
      ShardJournal begun =
          new ShardJournal(
              applied,
              past,
              () -> {
                // Also the first record of this ownership: rounds wait until it is known how far
                // the ownership has come, and thus the files.
                rounds.reach(journalId, before.lastPosition() + 1);
                return ShardRecoveryLog.ofOwner(
                    past, lowWaterMark, before.lastPosition(), earlier, rounds.bases(journalId));
              },
              new ShardJournal.Parts(
                  options,
                  host,
                  startedLog(),
                  segments,
                  supply,
                  open.agreedVersion(),
                  this::mark,
                  this::lowWaterMark,
                  images,
                  this::imageState,
                  this::saveIfOpen,
                  new ShardRetention.Members(this::historyFrom, this::heldByAll),
                  Lease.begin(host.time(), open.leaseMillis(), before.leaseMillis())));
      journal = begun;
      host.owner().owns(begun);
    }
  }

  /**
   * The node that has opened the shard had applied less of the log than this replica has now. To go
   * on with fewer records is to skip all groups that follow, unnoticed.
   */
  private void requireRecordsOf(LogEntry.Open open) {
    if (open.lastPosition() > applied.lastPosition()) {
      throw new DataDirectoryException(
          directory,
          "Node "
              + open.node()
              + " has records of the shard up to position "
              + open.lastPosition()
              + ", this copy of the same log up to "
              + applied.lastPosition()
              + " only; the copy stops. Remove this node from the cluster and add another: the"
              + " other nodes have its data",
          null);
    }
  }

  /** Raises the low-water mark, which the next save makes durable. */
  private void mark(long position) {
    lock.lock();
    try {
      lowWaterMark = Math.max(lowWaterMark, position);
    } finally {
      lock.unlock();
    }
  }

  private void apply(long index, LogEntry.Group group) throws IOException {
    SavedPoint before = applied;
    boolean isAccepted =
        group.epoch() != 0
            && group.epoch() == before.epoch()
            && group.firstPosition() == before.lastPosition() + 1
            && group.partBytes() == incoming.lengthBytes();
    if (!isAccepted) {
      applied = applied.at(index);
      if (isOfOwner(group.epoch())) {
        endEpoch("The log skipped a group of this node at entry " + index + ".");
      }
      return;
    }
    if (!group.isProof()) {
      applied = written(before, group);
      long bytes = group.partBytes() + group.bytes().remaining();
      unsavedBytes += bytes;
      appliedBytes += bytes;
    }
    applied = applied.at(index);
    begins.at(index, applied.segment());
    ShardJournal current = journal;
    if (current != null) {
      current.accepted(group, applied.lastPosition());
    }
  }

  private SavedPoint written(SavedPoint before, LogEntry.Group group) throws IOException {
    if (group.partBytes() == 0) {
      return written.write(before, group, this::save);
    }
    incoming.add(0, group.partBytes(), group.bytes());
    SavedPoint after = written.writeFrom(before, group, incoming.path(), this::save);
    incoming.discard();
    return after;
  }

  private void apply(long index, LogEntry.Part part) throws IOException {
    if (part.epoch() == applied.epoch()) {
      incoming.add(index, part.offsetBytes(), part.bytes());
    }
    applied = applied.at(index);
  }

  private void apply(long index, LogEntry.Release release) {
    SavedPoint before = applied.at(index);
    boolean ends = release.epoch() == before.epoch();
    applied = ends ? before.in(0).leased(0) : before; // its owner has waited for those before it
    if (ends) {
      owner = null;
      host.owner().owned(null, index);
      ShardJournal released = ended();
      if (released != null) {
        released.commit().released();
      }
    }
  }

  /** A segment that is begun later may not be durable here: the newest one stays. */
  private void apply(long index, LogEntry.Retain retain) {
    SavedPoint before = applied.at(index);
    boolean isAccepted =
        retain.epoch() != 0
            && retain.epoch() == before.epoch()
            && retain.position() > before.historyFrom()
            && retain.position() <= before.segment();
    applied = isAccepted ? before.from(retain.position()) : before;
  }

  private boolean isOfOwner(long epoch) {
    ShardJournal current = journal;
    return current != null && current.epoch() == epoch;
  }

  private void endEpoch(String why) {
    ShardJournal ended = ended();
    if (ended != null) {
      ended.commit().stop(new OwnershipLostException(why));
    }
  }

  /** {@return the journal of this node, whose epoch has ended; null if it had none} */
  private @Nullable ShardJournal ended() {
    assert lock.isHeldByCurrentThread();
    owned = owned.end(applied.lastPosition());
    ShardJournal ended = journal;
    journal = null;
    return ended;
  }

  private RuntimeException stopped(RuntimeException cause) {
    assert lock.isHeldByCurrentThread();
    boolean isFirst = failure == null;
    if (isFirst) {
      failure = cause;
    }
    ReplicatedLog abandoned = log;
    if (isFirst && abandoned != null) {
      // Otherwise this node would lead on, and nobody else would open the shard.
      abandoned.abandon(cause);
      host.owner().stopped(cause);
    }
    ShardJournal ended = journal;
    journal = null;
    if (ended != null) {
      ended.commit().stop(cause);
    }
    return cause;
  }

  private void throwIfFailed() {
    RuntimeException failed = failure;
    if (failed != null) {
      throw new JournalFailedException(
          "The replica of the shard has stopped: " + failed.getMessage(), failed);
    }
  }

  // ---------------------------------------------------------------- catching up

  @Override
  public @Nullable Fetched fetch(long atLeastIndex) {
    ReplicaSource others = host.owner().others();
    if (others == null) {
      return null;
    }
    CatchUp fetched;
    fetching.lock();
    isFetching = true;
    try {
      ReplicaSource source = new WhileOpen(others);
      fetched = CatchUp.fetch(options.disk(), directory, segments, applied, source, atLeastIndex);
    } catch (JournalCorruptException e) {
      host.owner().fetchedDamage();
      throw e;
    } finally {
      isFetching = false;
      fetching.unlock();
    }
    ReplicaState state = fetched.state();
    return new Fetched() {
      @Override
      public LogPlace place() {
        return new LogPlace(state.index(), state.term());
      }

      @Override
      public void install() {
        ShardReplica.this.install(fetched);
      }
    };
  }

  /** Nothing is written any more when the replica is closed: the next one has the same files. */
  private final class WhileOpen implements ReplicaSource {

    private final ReplicaSource others;

    WhileOpen(ReplicaSource others) {
      this.others = others;
    }

    @Override
    public ReplicaState state(long segment) {
      requireOpen();
      return others.state(segment);
    }

    @Override
    public byte[] read(long segment, long offset) {
      requireOpen();
      return others.read(segment, offset);
    }

    @Override
    public ReplicaImage image() {
      requireOpen();
      return others.image();
    }

    @Override
    public byte[] readImage(long image, int file, long offset) {
      requireOpen();
      return others.readImage(image, file, offset);
    }

    @Override
    public void releaseImage(long image) {
      others.releaseImage(image);
    }

    private void requireOpen() {
      throwIfFailed();
      if (isClosed) {
        throw new JournalFailedException("The replica of the shard was closed.", null);
      }
    }
  }

  /** What other nodes must know of the files of this one. */
  private Map<String, byte[]> imageState(ViewImage image) {
    lock.lock();
    try {
      if (!owned.isOpen()) {
        throw new JournalFailedException("The ownership of the shard has ended.", null);
      }
      long journalId = applied.journalId();
      SavedPoint point = new SavedPoint(journalId, 0, 0, image.position(), 0, 0, 0, 0, 1, 0);
      Saved state =
          new Saved(
              point, incarnation, image.lowWaterMark(), owned.end(image.position()), host.node());
      return Map.of(
          SavedFile.NAME,
          SavedFile.encode(state),
          BasesFile.NAME,
          BasesFile.encode(journalId, rounds.bases(journalId).reaching(image.position())));
    } finally {
      lock.unlock();
    }
  }

  private void install(CatchUp fetched) {
    if (fetched.ofFiles() == null) {
      installInOrder(fetched);
      return;
    }
    boolean isBehind;
    lock.lock();
    try {
      isBehind = isBehind(fetched.state());
      if (isBehind) {
        endEpoch("The others have dropped entries and records that this node does not have.");
      }
    } finally {
      lock.unlock();
    }
    if (isBehind) {
      host.owner().whileClosed(() -> installInOrder(fetched));
    } else {
      installInOrder(fetched); // nothing is replaced, so no objects are closed for it
    }
  }

  /** In order with the saves: they sync and close the files that may be replaced. */
  private void installInOrder(CatchUp fetched) {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    save(
        () -> {
          installNow(fetched);
          done.complete(true);
        });
    host.saver().execute(() -> done.complete(false)); // later than true, or than the failure
    if (!done.join()) {
      throwIfFailed();
      throw new JournalFailedException(
          "What was fetched from another node was not put in its place.", null);
    }
  }

  private void installNow(CatchUp fetched) {
    boolean isBehind;
    lock.lock();
    try {
      isBehind = isBehind(fetched.state());
      Saved ofFiles = fetched.ofFiles();
      if (isBehind && ofFiles != null) {
        replaceWithFiles(fetched, ofFiles);
      } else if (isBehind) {
        replaceBy(fetched);
      }
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory,
          "What was fetched from another node cannot be made durable ("
              + e.getMessage()
              + "); this replica stops. Make room on the disk, or repair it, and open it again: the"
              + " other nodes go on",
          e);
    } finally {
      lock.unlock();
    }
    if (!isBehind) {
      saveNow(); // the log has brought it meanwhile
    }
  }

  /** A node with records from before its log may have them at the index that this one has. */
  private boolean isBehind(ReplicaState state) {
    return applied.index() < state.index()
        || (applied.index() == state.index() && applied.lastPosition() < state.lastPosition());
  }

  /**
   * The replica becomes what that of the owner would be after a crash: the checkpoints that the
   * owner has appended before it copied its files are of the files that are here now.
   *
   * @param ofFiles what the owner has said of them
   */
  private void replaceWithFiles(CatchUp fetched, Saved ofFiles) throws IOException {
    assert lock.isHeldByCurrentThread();
    SavedPoint point = fetched.state().point();
    endEpoch("The others have dropped entries and records that this node does not have.");
    incoming.discard();
    written.close();
    NodeId next = fetched.state().owner() == null ? null : new NodeId(fetched.state().owner());
    Saved state = new Saved(point, incarnation, ofFiles.lowWaterMark(), ofFiles.owned(), next);
    fetched.placeWithFiles(directory, state);
    SegmentHistory past = history;
    if (past != null) {
      for (long old : segments.entirelyBefore(fetched.firstSegment())) {
        past.drop(old, () -> Long.MAX_VALUE, () -> {}); // its file is gone
      }
    }
    owned = ofFiles.owned();
    lowWaterMark = ofFiles.lowWaterMark();
    durable = state;
    appliedBytes = 0;
    roundBytes = 0;
    goOn(point, next, lowWaterMark);
  }

  private void replaceBy(CatchUp fetched) throws IOException {
    assert lock.isHeldByCurrentThread();
    ReplicaState there = fetched.state();
    SavedPoint point = there.point();
    // Checkpoints that this node has appended and that are only in the fetched part do not count as
    // its own. Its files may be ahead of those that do, and of what this replica had.
    boolean mayBeAhead =
        owned.isOpen()
            || (applied.journalId() != 0
                && rounds.horizon(applied.journalId(), owned) > applied.lastPosition());
    endEpoch("The log has dropped entries that this node does not have.");
    incoming.discard();
    // Only entries without records may have been fetched: then the own segments stay, and `saved`
    // states that they are durable.
    written.force(written.newest());
    written.close();
    fetched.place();
    if (mayBeAhead) {
      rounds.reach(point.journalId(), point.lastPosition());
    }
    NodeId next = there.owner() == null ? null : new NodeId(there.owner());
    if (mayBeAhead && host.node().equals(next)) {
      // The fetched part ends in an ownership of this node: its files may have what comes next.
      owned = owned.begin(point.lastPosition() + 1);
    }
    Saved state = new Saved(point, incarnation, lowWaterMark, owned, next);
    savedFile.write(state);
    durable = state;
    goOn(point, next, applied.lastPosition() + 1);
  }

  /**
   * @param behind the first position that no round may have read
   */
  private void goOn(SavedPoint point, @Nullable NodeId next, long behind) throws IOException {
    owner = next;
    applied = point;
    saved = point;
    epochPosition = 0;
    unsavedBytes = 0;
    written.resume(point);
    knowHistory();
    knowBehind(behind);
    begins.at(point.index(), point.segment());
    host.owner().owned(next, next == null ? point.index() : point.epoch());
  }

  // ---------------------------------------------------------------- saving

  private void saveInTime() {
    if (unsavedBytes >= UNSAVED_BYTES_MAX) {
      unsavedBytes = 0;
      saveSoon();
    } else if (saveScheduled.compareAndSet(false, true)) {
      host.time().schedule(UNSAVED_NANOS_MAX, this::saveOnTimer);
    }
  }

  private void saveOnTimer() {
    saveScheduled.set(false);
    saveIfOpen();
  }

  /**
   * Called by timers, of which all shards have one thread: without the lock, which may wait for a
   * disk. After the close there may be no saver any more.
   */
  private void saveIfOpen() {
    if (isClosed) {
      return;
    }
    try {
      save(
          () -> {
            if (!isClosed) {
              saveNow();
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.DEBUG, "The node is closed, and the replica before it.", e);
    }
  }

  /** Makes durable what is applied, in the background. */
  private void saveSoon() {
    save(this::saveNow);
  }

  private void save(Runnable task) {
    host.saver()
        .execute(
            () -> {
              try {
                if (failure == null) {
                  task.run();
                }
              } catch (RuntimeException e) {
                stop(e);
              } catch (Error e) {
                stop(new IllegalStateException("A task of the replica has failed: " + e, e));
                throw e;
              }
            });
  }

  /**
   * Stops the replica because its log has stopped: an ownership of this node ends now, and not with
   * its next call.
   *
   * @param cause why the log has stopped
   */
  public void logStopped(RuntimeException cause) {
    stop(cause);
  }

  private void stop(RuntimeException cause) {
    lock.lock();
    try {
      stopped(cause);
    } finally {
      lock.unlock();
    }
  }

  private void saveNow() {
    ShardJournal current = journal();
    if (current != null) {
      current.review();
    }
    Saved state;
    DiskFile newest;
    long bytes;
    lock.lock();
    try {
      state = current();
      bytes = appliedBytes;
      newest = written.newest();
    } finally {
      lock.unlock();
    }
    images.dropIfSilent();
    SavedPoint point = state.point();
    boolean isLater = point.index() > saved.index();
    if (!isLater && state.lowWaterMark() <= durable.lowWaterMark()) {
      removeOld();
      return;
    }
    try {
      written.force(newest);
      savedFile.write(state);
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory,
          "The replica of the shard cannot be made durable ("
              + e.getMessage()
              + "); it stops. Make room on the disk, or repair it, and open it again: the other"
              + " nodes go on",
          e);
    }
    durable = state;
    if (isLater) {
      settle(point, bytes);
      startedLog().compactTo(point.index());
      host.owner().saved();
    }
    removeOld();
  }

  private void settle(SavedPoint point, long bytes) {
    lock.lock();
    try {
      saved = point;
      savedBytes = bytes;
      behindBytes = bytes - roundBytes;
    } finally {
      lock.unlock();
    }
  }

  /** After what is saved is durable: it says which segments may be missing. */
  private void removeOld() {
    OldSegments known = old;
    if (known != null) {
      known.remove(durable.removable());
    }
  }

  /** {@return what is applied, as far as it may be saved or given to another node} */
  private Saved current() {
    lock.lock();
    try {
      SavedPoint point =
          incoming.lengthBytes() == 0 ? applied : applied.at(incoming.firstIndex() - 1);
      return new Saved(point, incarnation, lowWaterMark, owned, owner);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable ShardJournal journal() {
    lock.lock();
    try {
      return journal;
    } finally {
      lock.unlock();
    }
  }

  private void end() {
    lock.lock();
    try {
      endEpoch("The replica of the shard was closed.");
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the saver has done what was asked of it so far. */
  private void awaitSaver() {
    CompletableFuture<Void> last = new CompletableFuture<>();
    host.saver().execute(() -> last.complete(null));
    last.join();
  }

  /** Makes durable what is applied, and closes the files. The log is closed already. */
  @Override
  public void close() {
    lock.lock();
    try {
      isClosed = true;
    } finally {
      lock.unlock();
    }
    rounds.close();
    fetching.lock(); // waits for the end of what is fetched
    try {
      end();
    } finally {
      fetching.unlock();
    }
    if (log != null) {
      saveSoon();
    }
    awaitSaver();
    try (supply) {
      incoming.close();
      written.close();
    } catch (IOException e) {
      // All its content was synced, or the log has it.
      LOG.log(System.Logger.Level.WARNING, "A file of a shard was not closed cleanly", e);
    }
  }
}
