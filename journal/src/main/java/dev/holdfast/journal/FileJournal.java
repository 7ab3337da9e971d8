package dev.holdfast.journal;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.TimeSource;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.journal.file.ExpectedJournal;
import dev.holdfast.journal.file.JournalScan;
import dev.holdfast.journal.file.LastGroup;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.ScannedRecords;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.SegmentRecoveryLog;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.file.SegmentsCopy;
import dev.holdfast.journal.file.VoidRecord;
import dev.holdfast.journal.group.CommitStatistics;
import dev.holdfast.journal.group.Gathering;
import dev.holdfast.journal.group.Group;
import dev.holdfast.journal.group.PendingRecord;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.JournalCopy;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.statistics.StorageEvents;
import dev.holdfast.statistics.JournalStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The journal in a directory of segment files; {@code docs/formats/journal.md} describes them.
 *
 * <p>Lifecycle: {@link #open} reads and checks the files and cuts a torn tail; the views bring
 * themselves up to date from {@link #recoveryLog}; {@link #start} passes them to the journal, which
 * from then on deletes or recycles segments that no view needs; {@link #close} makes all records
 * durable. Records may be appended as soon as the journal is open.
 *
 * <p>Only one journal may use the directory; {@link DirectoryLock} ensures that. Thread-safe.
 */
public final class FileJournal implements Journal {

  /** The name of the journal's directory in a data directory. */
  public static final String DIRECTORY_NAME = "journal";

  /** The name of the file beside it that names the newest segment. */
  public static final String MARK_FILE_NAME = "journal.mark";

  private final Disk disk;

  private final int payloadBytesMax;
  private final GroupCommit commit;
  private final SegmentWriter writer;
  private final SegmentSupply supply;
  private final Checkpoints checkpoints;
  private final SegmentRecoveryLog recoveryLog;
  private final SegmentHistory history;
  private final Ownership ownership;
  private final @Nullable MarkFile mark;
  private final Segments segments;

  private final LowWaterMark lowWaterMark;
  private final CommitStatistics statistics;

  private final ReentrantLock closing = new ReentrantLock();
  private boolean closed; // guarded by closing

  private FileJournal(
      JournalOptions options,
      TimeSource time,
      StorageEvents events,
      Opened opened,
      SegmentRecoveryLog recoveryLog) {
    JournalScan.Result found = opened.found();
    this.disk = options.disk();
    this.payloadBytesMax = options.payloadBytesMax();
    this.writer = opened.writer();
    this.supply = opened.supply();
    this.recoveryLog = recoveryLog;
    this.ownership = opened.ownership();
    this.mark = opened.mark();
    this.segments = opened.segments();
    this.lowWaterMark = new LowWaterMark(found.lowWaterMark());
    this.statistics = new CommitStatistics(time, events);
    this.history =
        new SegmentHistory(
            options.disk(),
            opened.segments(),
            new SegmentHistory.Ends(this::durablePosition, supply::bytes),
            time,
            found.journalId());
    this.checkpoints =
        new Checkpoints(
            options,
            new Checkpoints.Files(opened.segments(), supply, mark),
            lowWaterMark,
            history,
            time);
    JournalScan.Tail tail = found.tail();
    this.commit =
        new GroupCommit(
            new GroupCommit.Setup(
                options,
                time,
                writer,
                supply,
                lowWaterMark,
                checkpoints,
                statistics,
                startInNewest(found)),
            new Gathering.Start(
                found.lastPosition(),
                tail == null
                    ? Group.Place.NOWHERE
                    : new Group.Place(tail.endOffset(), tail.sizeBytes())));
  }

  /** {@return the start of the records that views need, if it is in the newest segment} */
  private static SegmentWalk.@Nullable Place startInNewest(JournalScan.Result found) {
    JournalScan.Tail tail = found.tail();
    return tail != null && found.start().segment() == tail.header().firstPosition()
        ? found.start()
        : null;
  }

  private record Opened(
      Segments segments,
      SegmentWriter writer,
      SegmentSupply supply,
      JournalScan.Result found,
      Ownership ownership,
      @Nullable MarkFile mark) {}

  /**
   * Opens the journal in a directory, which is created if missing.
   *
   * @param directory the journal's own directory
   * @param time the clock for the records, and timers
   * @param options how it works
   * @throws dev.holdfast.errors.JournalCorruptException if it is damaged at a place that no crash
   *     can have torn; nothing is changed
   * @throws DataDirectoryException if the directory cannot be used, or was written by a newer
   *     version
   */
  public static FileJournal open(Path directory, TimeSource time, JournalOptions options) {
    return open(directory, null, time, StorageEvents.NONE, options);
  }

  /**
   * Opens the journal of a data directory, which is created if missing. Beside it, in {@code
   * journal.mark}, the journal stores its id and how far it has come: a journal that was removed,
   * or replaced by an older copy or by another one, is refused. While it is open, the journal
   * checks that the directory is still locked, and stops when it is not.
   *
   * @param lock of the data directory; closed by its owner, after the journal
   * @param time the clock for the records, and timers
   * @param events receives the groups that are written
   * @param options how it works
   * @throws dev.holdfast.errors.JournalCorruptException if it is damaged at a place that no crash
   *     can have torn, or is missing, older than it was, or another directory's; nothing is changed
   * @throws DataDirectoryException if the directory cannot be used, was written by a newer version,
   *     or lacks the mark
   */
  public static FileJournal open(
      DirectoryLock lock, TimeSource time, StorageEvents events, JournalOptions options) {
    return open(lock.directory().resolve(DIRECTORY_NAME), lock, time, events, options);
  }

  /**
   * Opens the journal of a data directory without a receiver of events, otherwise like {@link
   * #open(DirectoryLock, TimeSource, StorageEvents, JournalOptions)}.
   *
   * @param lock of the data directory; closed by its owner, after the journal
   * @param time the clock for the records, and timers
   * @param options how it works
   */
  public static FileJournal open(DirectoryLock lock, TimeSource time, JournalOptions options) {
    return open(lock, time, StorageEvents.NONE, options);
  }

  private static FileJournal open(
      Path directory,
      @Nullable DirectoryLock lock,
      TimeSource time,
      StorageEvents events,
      JournalOptions options) {
    try {
      Disk disk = options.disk();
      MarkFile mark =
          lock == null ? null : new MarkFile(disk, lock.directory().resolve(MARK_FILE_NAME));
      ExpectedJournal expected =
          mark == null ? ExpectedJournal.ANY : new ExpectedJournal(mark.file(), mark.read());
      Segments segments = Segments.list(disk, directory);
      JournalScan.Result found =
          new JournalScan(disk, segments, expected, new ScannedRecords(options.recoveryBytesMax()))
              .run(options.salts());
      disk.ensureDirectory(directory);
      SegmentSupply supply = new SegmentSupply(disk, directory);
      supply.adopt();
      Ownership ownership = new Ownership(lock, time);
      SegmentWriter writer =
          new SegmentWriter(
              disk,
              segments,
              new SegmentWriter.Origin(found.journalId(), options.salts(), mark, ownership));
      resume(disk, segments, writer, found.tail());
      if (mark != null) {
        mark.opened(
            found.journalId(), found.lastPosition(), segments.isEmpty() ? 0 : segments.newest());
      }
      FileJournal journal =
          new FileJournal(
              options,
              time,
              events,
              new Opened(segments, writer, supply, found, ownership, mark),
              new SegmentRecoveryLog(disk, segments, found));
      journal.begin(found.tail() == null ? 0 : found.tail().sizeBytes(), options);
      return journal;
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The journal cannot be opened", e);
    }
  }

  private static void resume(
      Disk disk, Segments segments, SegmentWriter writer, JournalScan.@Nullable Tail tail)
      throws IOException {
    if (tail != null) {
      writer.resume(LastGroup.rewrite(disk, segments, tail), tail.header().salt());
    }
  }

  private void begin(long newestBytes, JournalOptions options) {
    commit.start();
    supply.prepare(options.segmentBytesAfter(newestBytes));
  }

  /**
   * Returns the records that were durable when the journal was opened, from the low-water mark on.
   * Read it before {@link #start}, any number of times.
   */
  public RecoveryLog recoveryLog() {
    return recoveryLog;
  }

  /**
   * Registers the views, after all of them have recovered. From now on segments that no view needs
   * are deleted.
   *
   * @param views all views of this journal
   */
  public void start(List<? extends JournalView> views) {
    recoveryLog.release();
    checkpoints.start(this, commit::writeMark, commit::beginSegment, views);
  }

  /**
   * Returns the history: records that are kept beyond what recovery needs, as {@link
   * JournalOptions#history} states. Can be used at any time; after the journal was closed it no
   * longer changes.
   *
   * @return the history of every object
   */
  public JournalHistory history() {
    return history;
  }

  /**
   * Begins to copy the files of the journal while it is written. Until the copy is closed, no
   * segment is dropped and the low-water mark stays.
   *
   * @param target receives the files
   * @return the copy; the caller closes it before it closes the journal
   * @throws dev.holdfast.errors.JournalFailedException if the journal is closed
   */
  public JournalCopy beginCopy(BackupTarget target) {
    checkpoints.pin();
    return new SegmentsCopy(
        disk,
        segments,
        new SegmentsCopy.Pinned(history.journalId(), lowWaterMark.durable()),
        new SegmentsCopy.Names(DIRECTORY_NAME, MARK_FILE_NAME),
        target,
        checkpoints::unpin);
  }

  @Override
  public CompletableFuture<Void> purge(ObjectKey key, long upTo) {
    return checkpoints.purge(key, upTo);
  }

  /**
   * Begins a segment with a record of no view, and asks the views to make everything before it
   * durable in their files.
   *
   * @return completes with the position of that record, when no view, copy, archive or consumer
   *     needs an earlier one; fails when the journal has failed or is closed
   */
  public CompletableFuture<Long> settle() {
    return checkpoints.settle(
        () -> {
          commit.beginSegment();
          commit.append(
              new PendingRecord(
                  RecordKind.CHECKPOINT,
                  RecordKind.VOID_VIEW,
                  VoidRecord.NO_OBJECT,
                  ByteBuffer.allocate(0)));
        });
  }

  /**
   * Returns a reader of the durable records, for an archive. Can be used while the journal is open.
   *
   * @return the reader; every call returns another one
   */
  public JournalTail tail() {
    return new JournalTail(segments, history, commit::durablePosition);
  }

  @Override
  public int payloadBytesMax() {
    return payloadBytesMax;
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
    long lastPosition = commit.lastPosition();
    long durablePosition = commit.durablePosition();
    Long oldest = segments.oldest();
    Checkpoints.Usage usage = checkpoints.usage();
    return new JournalStatistics(
        Math.max(lastPosition, durablePosition),
        durablePosition,
        statistics.recordsPerGroup(),
        statistics.syncNanos(),
        statistics.proofNanos(),
        statistics.bytes(),
        statistics.waiters(),
        segments.count(),
        usage.segmentBytes() + supply.bytes(),
        lowWaterMark.durable(),
        oldest == null ? durablePosition + 1 : oldest,
        usage.sinceMillis() == Long.MAX_VALUE ? null : Instant.ofEpochMilli(usage.sinceMillis()));
  }

  @Override
  public List<HealthReason> troubles() {
    return checkpoints.troubles();
  }

  @Override
  public @Nullable RuntimeException failure() {
    return commit.failure();
  }

  @Override
  public void onFailure(FailureListener listener) {
    commit.onFailure(listener);
  }

  @Override
  public void close() {
    closing.lock();
    try {
      if (!closed) {
        closed = true;
        closeParts();
      }
    } finally {
      closing.unlock();
    }
  }

  @Override
  public void requireOwnership() {
    try {
      ownership.require();
    } catch (DirectoryInUseException e) {
      commit.stop(e);
    }
  }

  private void closeParts() {
    try (supply) {
      checkpoints.close();
      try {
        renewViews();
      } finally {
        commit.close();
      }
      if (commit.failure() == null && isOwned()) {
        checkpoints.reclaimLast();
        noteCleanEnd();
      }
    } finally {
      closeWriter();
    }
  }

  /** Lets the views rewrite what they need of old records. */
  private void renewViews() {
    if (commit.failure() == null) {
      commit.awaitDurable(commit.lastPosition());
      checkpoints.renewBefore(commit.lastPosition() + 1);
    }
  }

  private boolean isOwned() {
    try {
      ownership.require();
      return true;
    } catch (DirectoryInUseException e) {
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.WARNING, "The end of the journal was not written", e);
      return false;
    }
  }

  /**
   * Records the position from which the journal is read when it is opened again. A failure here
   * only makes the next opening slower.
   */
  private void noteCleanEnd() {
    MarkFile written = mark;
    Gathering.Start end = commit.end();
    if (written == null || end == null || segments.isEmpty()) {
      return;
    }
    long lowWaterMark = checkpoints.durableMark();
    // Views may need the last records permanently, such as the mark of a catalog.
    Gathering.Start tail = commit.startBefore(lowWaterMark);
    try {
      if (tail == null) {
        written.raise(end.lastPosition());
      } else {
        written.closed(
            end.lastPosition(),
            new MarkFile.CleanEnd(
                writer.salt(),
                tail.lastPosition() + 1,
                tail.place().offsetBytes(),
                end.place().offsetBytes(),
                lowWaterMark));
      }
    } catch (IOException e) {
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.DEBUG, "The end of the journal was not written", e);
    }
  }

  private void closeWriter() {
    try {
      writer.close();
    } catch (IOException e) {
      // All its content was synced or reported as failed.
      System.getLogger("dev.holdfast")
          .log(System.Logger.Level.WARNING, "A journal segment was not closed cleanly", e);
    }
  }
}
