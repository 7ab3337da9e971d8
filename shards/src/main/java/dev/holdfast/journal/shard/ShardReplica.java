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
import dev.holdfast.journal.replica.BasesFile;
import dev.holdfast.journal.replica.IncomingParts;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.journal.replica.OldSegments;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.journal.replica.Purges;
import dev.holdfast.journal.replica.ReplicaSegments;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A node's copy of the journal of a shard: applies the entries of the log, all replicas alike.
 *
 * <p>Groups are written to segments without a sync: the log has them on a majority. {@link
 * ReplicaSaver} syncs the segments in the background, and {@code saved} states what is durable
 * here; then the log may drop it. {@link CatchingUp} fetches from another node what the log has
 * dropped before it was applied here.
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

  private final Path directory;
  private final JournalOptions options;
  private final ShardHost host;
  private final Segments segments;
  private final SegmentSupply supply;
  private final ReplicaSegments written;
  private final IncomingParts incoming;
  private final ReplicaRounds rounds;
  private final OutgoingImage images;
  private final ReplicaProgress progress;
  private final ReplicaHistory history;
  private final ReplicaSaver saver;
  private final ReplicaPurge purge;
  private final CatchingUp catchingUp;
  private final ReentrantLock lock;

  /** What the claims of this run have in common; 0 before the first one. */
  private volatile long claimed;

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
    this.rounds = new ReplicaRounds(directory, new BasesFile(disk, directory));
    this.images =
        new OutgoingImage(disk, directory, host.time(), options.salts().getAsLong() >>> 1);
    SavedFile savedFile = new SavedFile(disk, directory);
    this.progress = new ReplicaProgress(host, incoming, found);
    this.lock = progress.lock();
    this.history =
        new ReplicaHistory(options, host, segments, supply, images, progress, this::saveIfOpen);
    this.saver =
        new ReplicaSaver(directory, host, progress, written, savedFile, images, this::saved);
    this.catchingUp =
        new CatchingUp(
            disk,
            directory,
            host,
            new CatchingUp.Files(segments, written, incoming, savedFile, rounds),
            progress,
            history,
            saver);
    this.purge =
        new ReplicaPurge(
            new ReplicaPurge.Files(disk, segments, supply, written),
            host,
            history,
            progress,
            saver,
            catchingUp);
  }

  private void saveIfOpen() {
    saver.saveIfOpen();
  }

  private void saved() {
    history.removeOld();
    purge.goOn();
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
      replica.history.know();
      long rounds = replica.rounds.bases(found.point().journalId()).end();
      replica.history.countFrom(Math.max(rounds + 1, found.lowWaterMark()));
      replica.history.beginsAt(found.point().index());
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

  /**
   * Begins to apply the entries of the log.
   *
   * @param shardLog the log of the shard; closed by the caller, before this replica
   * @throws JournalFailedException if the replica was stopped before
   */
  public void start(ReplicatedLog shardLog) {
    progress.start(shardLog);
    NodeId last = progress.owner();
    if (last != null) {
      host.owner().owned(last, progress.applied().epoch());
    }
    shardLog.start(this);
  }

  /**
   * Proposes that this node owns the shard from now on. If the log agrees, {@link
   * ShardHost.Owner#owns} follows. To be called by the thread that begins rounds.
   *
   * @throws IllegalStateException if the replica was not started
   */
  public void claim() {
    long nonce = claimed != 0 ? claimed : options.salts().getAsLong() | 1;
    SavedPoint applied = progress.applied();
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
            progress.incarnation(),
            nonce,
            host.time().wallMillis(),
            applied.lastPosition(),
            version,
            host.owner().lease().toMillis(),
            host.node());
    new OwnedLog(progress.startedLog(), version).propose(open);
    rounds.reachEarly(known, applied.lastPosition() + 1); // the opening waits for it otherwise
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
      NodeId node = progress.owner();
      return node == null ? null : new Owned(node, progress.applied().epoch());
    } finally {
      lock.unlock();
    }
  }

  /** {@return the node that owns the shard, as far as this replica has applied it; null if none} */
  public @Nullable NodeId owner() {
    return progress.owner();
  }

  /** {@return the position of the last record of this replica; 0 if there is none} */
  public long lastPosition() {
    return progress.applied().lastPosition();
  }

  /**
   * {@return the history of every object, as all nodes give it}
   *
   * @throws IllegalStateException if no node has opened the shard yet
   */
  public JournalHistory history() {
    return history.given();
  }

  /** {@return whether a node has opened the shard, so that it has a history} */
  public boolean hasHistory() {
    return history.known() != null;
  }

  /**
   * {@return the segments that nothing is written to any more}
   *
   * @throws IllegalStateException if no node has opened the shard yet
   */
  public SealedSegments sealed() {
    return new SealedSegments(options.disk(), segments, history().journalId(), progress::durable);
  }

  /** {@return what this replica gives to those of other nodes} */
  public ReplicaSource source() {
    return new OwnState(
        options.disk(),
        segments,
        history.hold(),
        progress::current,
        index -> progress.startedLog().termOf(index),
        purge::purged,
        purge::requireErased,
        images);
  }

  /**
   * {@return the first position that another node needs which is copying segments of this one, or
   * the files of its objects; the largest long if none is} No segment with it, or a later one, is
   * removed.
   */
  public long copiedFrom() {
    return history.copiedFrom();
  }

  /**
   * {@return the first position that the files of the objects on this node need after a crash: no
   * segment with it, or a later one, may be removed} It is durable, and only rises.
   */
  public long lowWaterMark() {
    return progress.durable().lowWaterMark();
  }

  /**
   * {@return about how many bytes of records this replica has durably that no round has read since
   * it was opened}
   */
  public long behindBytes() {
    return progress.bytes().behind();
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
    if (history.known() == null || progress.failure() != null || progress.isClosed()) {
      return null;
    }
    saver.saveSoon(); // the files must not be ahead of the segments
    saver.await();
    SegmentHistory past = history.known();
    ReplicaRounds.Start start;
    long bytes;
    lock.lock();
    try {
      if (past == null
          || progress.owned().isOpen()
          || progress.failure() != null
          || progress.isClosed()) {
        return null;
      }
      start =
          new ReplicaRounds.Start(
              progress.lowWaterMark(),
              progress.saved().lastPosition(),
              progress.epochPosition(),
              progress.owned());
      bytes = progress.bytes().saved();
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
      progress.readInRounds(bytes, 0);
    }
    return begun;
  }

  private void finished(long position, long allBytes, long readBytes) {
    progress.mark(position);
    progress.readInRounds(allBytes, readBytes);
    saver.saveSoon();
  }

  /** {@return what is to be done for purges on this node} */
  public ReplicaPurge purges() {
    return purge;
  }

  /** {@return whether segments of another node are fetched now} */
  public boolean isFetching() {
    return catchingUp.isFetching();
  }

  /** {@return why this replica has stopped; null while it works} */
  public @Nullable RuntimeException failure() {
    return progress.failure();
  }

  @Override
  public OptionalLong appliedIndex() {
    return progress.saved().entry();
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
      progress.throwIfFailed();
      requireLater(index);
      switch (LogEntry.decode(entry, host.owner().newestVersion())) {
        case LogEntry.Open open -> open(index, open);
        case LogEntry.Group group -> apply(index, group);
        case LogEntry.Part part -> apply(index, part);
        case LogEntry.Release release -> apply(index, release);
        case LogEntry.Retain retain -> apply(index, retain);
        case LogEntry.Purge purge -> apply(index, purge);
        case LogEntry.Filler _ -> progress.apply(progress.applied().at(index));
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
    saver.saveInTime();
  }

  private void requireLater(long index) {
    long before = progress.applied().index();
    if (index <= before) {
      throw new IllegalStateException("The log gave entry " + index + " after entry " + before);
    }
  }

  private void open(long index, LogEntry.Open open) throws IOException {
    requireRecordsOf(open);
    incoming.discard();
    progress.end(
        "Node " + open.node() + " has opened the shard at entry " + index + " of its log.");
    SavedPoint before = progress.applied();
    long journalId = before.journalId() != 0 ? before.journalId() : open.journalId();
    // Of several owners, each may have lent until now: that of the last one need not be the
    // longest.
    long leaseMillis = Math.max(before.leaseMillis(), open.leaseMillis());
    progress.open(before.of(journalId).in(index).leased(leaseMillis).at(index), open.node());
    host.owner().agreed(open.agreedVersion());
    host.owner().owned(open.node(), index);
    history.know();
    if (!open.node().equals(host.node()) || open.incarnation() != progress.incarnation()) {
      return;
    }
    OwnedPositions earlier = progress.owned();
    progress.beginOwned();
    SegmentHistory past = history.known();
    if (open.nonce() == claimed && past != null) {
      ShardJournal begun = journalOf(open, before, past, earlier);
      progress.begin(begun);
      host.owner().owns(begun);
    }
  }

  private ShardJournal journalOf(
      LogEntry.Open open, SavedPoint before, SegmentHistory past, OwnedPositions earlier) {
    long journalId = past.journalId();
    return new ShardJournal(
        progress.applied(),
        past,
        () -> {
          // Also the first record of this ownership: rounds wait until it is known how far the
          // ownership has come, and thus the files.
          rounds.reach(journalId, before.lastPosition() + 1);
          return ShardRecoveryLog.ofOwner(
              past,
              progress.lowWaterMark(),
              before.lastPosition(),
              earlier,
              rounds.bases(journalId));
        },
        new ShardJournal.Parts(
            options,
            host,
            new OwnedLog(progress.startedLog(), open.agreedVersion()),
            segments,
            supply,
            progress,
            images,
            this::imageState,
            saver::saveIfOpen,
            history.members(),
            history::copiedFrom,
            purge::purged,
            Lease.begin(host.time(), open.leaseMillis(), before.leaseMillis())));
  }

  /**
   * The node that has opened the shard had applied less of the log than this replica has now. To go
   * on with fewer records is to skip all groups that follow, unnoticed.
   */
  private void requireRecordsOf(LogEntry.Open open) {
    if (open.lastPosition() > progress.applied().lastPosition()) {
      throw new DataDirectoryException(
          directory,
          "Node "
              + open.node()
              + " has records of the shard up to position "
              + open.lastPosition()
              + ", this copy of the same log up to "
              + progress.applied().lastPosition()
              + " only; the copy stops. Remove this node from the cluster and add another: the"
              + " other nodes have its data",
          null);
    }
  }

  private void apply(long index, LogEntry.Group group) throws IOException {
    SavedPoint before = progress.applied();
    boolean isAccepted =
        group.epoch() != 0
            && group.epoch() == before.epoch()
            && group.firstPosition() == before.lastPosition() + 1
            && group.partBytes() == incoming.lengthBytes();
    if (!isAccepted) {
      progress.apply(before.at(index));
      if (isOfOwner(group.epoch())) {
        progress.end("The log skipped a group of this node at entry " + index + ".");
      }
      return;
    }
    if (group.isProof()) {
      progress.apply(before.at(index));
    } else {
      long groupBytes = group.partBytes() + group.bytes().remaining();
      progress.applyGroup(written(before, group).at(index), groupBytes);
    }
    history.beginsAt(index);
    ShardJournal current = progress.journal();
    if (current != null) {
      current.accepted(group, progress.applied().lastPosition());
    }
  }

  private SavedPoint written(SavedPoint before, LogEntry.Group group) throws IOException {
    if (group.partBytes() == 0) {
      return written.write(before, group, saver::run);
    }
    incoming.add(0, group.partBytes(), group.bytes());
    SavedPoint after = written.writeFrom(before, group, incoming.path(), saver::run);
    incoming.discard();
    return after;
  }

  private void apply(long index, LogEntry.Part part) throws IOException {
    if (part.epoch() == progress.applied().epoch()) {
      incoming.add(index, part.offsetBytes(), part.bytes());
    }
    progress.apply(progress.applied().at(index));
  }

  private void apply(long index, LogEntry.Release release) {
    SavedPoint before = progress.applied().at(index);
    if (release.epoch() != before.epoch()) {
      progress.apply(before);
    } else {
      progress.release(before.in(0).leased(0)); // its owner has waited for the leases before it
      host.owner().owned(null, index);
      ShardJournal released = progress.end();
      if (released != null) {
        released.commit().released();
      }
    }
  }

  /** A segment that is begun later may not be durable here: the newest one stays. */
  private void apply(long index, LogEntry.Retain retain) {
    SavedPoint before = progress.applied().at(index);
    boolean isAccepted =
        retain.epoch() != 0
            && retain.epoch() == before.epoch()
            && retain.position() > before.historyFrom()
            && retain.position() <= before.segment();
    progress.apply(isAccepted ? before.from(retain.position()) : before);
  }

  /** From here on no old segment becomes room for a new one. */
  private void apply(long index, LogEntry.Purge purge) {
    SavedPoint before = progress.applied().at(index);
    boolean isAccepted =
        purge.epoch() != 0
            && purge.epoch() == before.epoch()
            && purge.segment() <= before.segment()
            && purge.last() < purge.segment();
    if (!isAccepted) {
      progress.apply(before);
      return;
    }
    progress.apply(before.purging(index, purge));
    ShardJournal current = progress.journal();
    if (current != null) {
      current.purging(index, purge);
    }
  }

  private boolean isOfOwner(long epoch) {
    ShardJournal current = progress.journal();
    return current != null && current.epoch() == epoch;
  }

  private RuntimeException stopped(RuntimeException cause) {
    progress.stop(cause);
    return cause;
  }

  // ---------------------------------------------------------------- catching up

  @Override
  public @Nullable Fetched fetch(long atLeastIndex) {
    return catchingUp.fetch(atLeastIndex);
  }

  /** What other nodes must know of the files of this one. */
  private Map<String, byte[]> imageState(ViewImage image) {
    lock.lock();
    try {
      if (!progress.owned().isOpen()) {
        throw new JournalFailedException("The ownership of the shard has ended.", null);
      }
      long journalId = progress.applied().journalId();
      Purges done = progress.applied().purges().withoutPending();
      SavedPoint point = new SavedPoint(journalId, 0, 0, image.position(), 0, 0, 0, 0, 1, 0, done);
      Saved state =
          new Saved(
              point,
              progress.incarnation(),
              image.lowWaterMark(),
              progress.owned().end(image.position()),
              host.node());
      return Map.of(
          SavedFile.NAME,
          SavedFile.encode(state),
          BasesFile.NAME,
          BasesFile.encode(journalId, rounds.bases(journalId).reaching(image.position())));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Stops the replica because its log has stopped: an ownership of this node ends now, and not with
   * its next call.
   *
   * @param cause why the log has stopped
   */
  public void logStopped(RuntimeException cause) {
    progress.stop(cause);
  }

  /** Makes durable what is applied, and closes the files. The log is closed already. */
  @Override
  public void close() {
    progress.close();
    rounds.close();
    catchingUp.awaitEnd(() -> progress.end("The replica of the shard was closed."));
    if (progress.isStarted()) {
      saver.saveSoon();
    }
    saver.await();
    try (supply) {
      incoming.close();
      written.close();
    } catch (IOException e) {
      // All its content was synced, or the log has it.
      LOG.log(System.Logger.Level.WARNING, "A file of a shard was not closed cleanly", e);
    }
  }
}
