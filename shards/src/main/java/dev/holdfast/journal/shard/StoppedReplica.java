package dev.holdfast.journal.shard;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.check.JournalSurvey;
import dev.holdfast.journal.check.RecordCursor;
import dev.holdfast.journal.check.ReplicaTail;
import dev.holdfast.journal.check.SurveyedRecords;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.replica.Bases;
import dev.holdfast.journal.replica.BasesFile;
import dev.holdfast.journal.replica.LocalRecord;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.verify.Finding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a shard that no process has open, for checks, for operators and for copies. Its journal
 * is what its segments have: up to the saved point, and behind it as far as they continue. Changes
 * nothing. Immutable.
 */
public final class StoppedReplica {

  private final Disk disk;
  private final Path directory;
  private final Saved saved;
  private final Bases bases;

  private StoppedReplica(Disk disk, Path directory, Saved saved, Bases bases) {
    this.disk = disk;
    this.directory = directory;
    this.saved = saved;
    this.bases = bases;
  }

  /**
   * Reads what a replica states about itself.
   *
   * @param disk where it is
   * @param directory of the replica
   * @return the replica; null if the node has never had one there
   * @throws DataDirectoryException if what it states is missing or damaged, or of a newer version
   */
  public static @Nullable StoppedReplica read(Disk disk, Path directory) {
    try {
      Saved found = new SavedFile(disk, directory).read();
      if (found == null) {
        requireNone(disk, directory);
        return null;
      }
      Bases bases = new BasesFile(disk, directory).read(found.point().journalId());
      return new StoppedReplica(disk, directory, found, bases);
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The copy of the shard cannot be read", e);
    }
  }

  private static void requireNone(Disk disk, Path directory) throws IOException {
    Path journal = directory.resolve(ShardReplica.JOURNAL_DIRECTORY);
    if (disk.exists(journal) && !Segments.list(disk, journal).isEmpty()) {
      throw new DataDirectoryException(
          directory.resolve(SavedFile.NAME),
          "The file is missing; it states what this copy of the shard has",
          null);
    }
  }

  private ReplicaTail.SavedEnd end() {
    SavedPoint point = saved.point();
    return new ReplicaTail.SavedEnd(
        point.journalId(),
        saved.removable(),
        saved.lowWaterMark(),
        point.lastPosition(),
        point.segment(),
        point.salt(),
        point.endOffset());
  }

  /** {@return the id of the journal; 0 if no node has opened the shard yet} */
  public long journalId() {
    return saved.point().journalId();
  }

  /** {@return the last record that the copy has durably; 0 if there is none} */
  public long savedPosition() {
    return saved.point().lastPosition();
  }

  /**
   * Returns whether the files of the objects may have more than the segments: the node was not
   * closed, or a takeover or a round has read records that are not durable here yet. The log has
   * these.
   *
   * @param lastPosition the last record of the segments
   * @return whether they may
   */
  public boolean mayFilesBeAhead(long lastPosition) {
    return ReplicaRounds.horizon(bases, saved.owned()) > lastPosition;
  }

  /** {@return whether the copy has segments alone: files of objects are made when it is opened} */
  public boolean hasOnlySegments() {
    return saved.lowWaterMark() <= 1
        && saved.owned().equals(OwnedPositions.NONE)
        && bases.equals(Bases.NONE);
  }

  /**
   * Checks the segments.
   *
   * @param findings receives what is wrong
   * @return what was read; the records are those that matter to the files of this node
   * @throws IOException if a file cannot be read
   */
  public JournalCheck.Result check(Consumer<Finding> findings) throws IOException {
    Path journal = directory.resolve(ShardReplica.JOURNAL_DIRECTORY);
    JournalSurvey survey =
        JournalSurvey.readReplica(
            disk, journal, directory.resolve(SavedFile.NAME), end(), findings);
    return new JournalCheck.Result(
        new OwnRecords(survey),
        survey.lastPosition(),
        survey.lost().stream()
            .map(each -> new JournalCheck.Range(each.firstPosition(), each.endPosition()))
            .toList(),
        survey.segmentCount(),
        survey.readBytes(),
        survey.begunMillis());
  }

  /**
   * Makes the journal of a single machine of that of the replica, in another directory: links to
   * the segments, and a copy of the newest.
   *
   * @param target the directory of the journal, which is empty
   * @param link makes a link at the first path to the second
   * @throws IOException if a file cannot be read or written
   */
  public void copyJournal(Path target, Link link) throws IOException {
    ReplicaTail.copy(
        disk, directory.resolve(ShardReplica.JOURNAL_DIRECTORY), end(), target, link::make);
  }

  /** Makes links. */
  public interface Link {

    /**
     * Makes a link.
     *
     * @param link where it is
     * @param file where it leads to
     * @throws IOException if it cannot be made
     */
    void make(Path link, Path file) throws IOException;
  }

  /**
   * The records of a journal, as they matter to the files of this node.
   *
   * @param log those that the files may lack
   * @param history the past
   */
  public record OwnJournal(RecoveryLog log, JournalHistory history) {}

  /**
   * Reads the journal that {@link #copyJournal} has made.
   *
   * @param copyDisk where it is
   * @param journal its directory
   * @param lastPosition its last record
   * @param time the clock
   * @return the records
   * @throws DataDirectoryException if the directory cannot be read
   */
  public OwnJournal own(Disk copyDisk, Path journal, long lastPosition, TimeSource time) {
    try {
      SegmentHistory history =
          new SegmentHistory(
              copyDisk,
              Segments.list(copyDisk, journal),
              new SegmentHistory.Ends(() -> lastPosition, () -> 0),
              time,
              journalId());
      ShardRecoveryLog log =
          ShardRecoveryLog.ofOwner(
              history, saved.lowWaterMark(), lastPosition, saved.owned(), bases);
      return new OwnJournal(log, log.history());
    } catch (IOException e) {
      throw new DataDirectoryException(journal, "The journal cannot be read", e);
    }
  }

  /**
   * The records that can be read, as {@link ShardRecoveryLog} gives those of a sound journal:
   * without the checkpoints of other nodes, and with what the views of this one have recorded in
   * rounds.
   */
  private final class OwnRecords implements SurveyedRecords {

    private final SurveyedRecords all;

    OwnRecords(SurveyedRecords all) {
      this.all = all;
    }

    @Override
    public long journalId() {
      return all.journalId();
    }

    @Override
    public long firstPosition() {
      return all.firstPosition();
    }

    @Override
    public long oldestPosition() {
      return all.oldestPosition();
    }

    @Override
    public void forEach(RecordVisitor visitor) {
      forEachFrom(firstPosition(), (_, _) -> true, visitor);
    }

    @Override
    public void forEachFrom(long position, RecordVisitor visitor) {
      forEachFrom(position, (_, _) -> true, visitor);
    }

    @Override
    public void forEachFrom(long position, Selection wanted, RecordVisitor visitor) {
      Deque<LocalRecord> local = new ArrayDeque<>();
      for (LocalRecord each : bases.records()) {
        if (each.position() >= position && wanted.includes(each.viewId(), each.kind())) {
          local.add(each);
        }
      }
      all.forEachFrom(
          position,
          wanted,
          record -> {
            passBefore(record.position(), local, visitor);
            if (!isForeign(record)) {
              visitor.visit(record);
            }
          });
      passBefore(Long.MAX_VALUE, local, visitor);
    }

    private static void passBefore(long position, Deque<LocalRecord> local, RecordVisitor visitor) {
      while (!local.isEmpty() && local.getFirst().position() < position) {
        visitor.visit(local.removeFirst().asRecord());
      }
    }

    /** A record of this node alone comes after the record of the journal that has its position. */
    @Override
    public RecordCursor cursor() {
      Deque<LocalRecord> local = new ArrayDeque<>(bases.records());
      RecordCursor journal = all.cursor();
      return new RecordCursor() {

        private @Nullable JournalRecord next; // read, and not given yet
        private boolean isBegun;

        private @Nullable JournalRecord ownNext() {
          JournalRecord record = journal.next();
          while (record != null && isForeign(record)) {
            record = journal.next();
          }
          return record;
        }

        @Override
        public @Nullable JournalRecord next() {
          if (!isBegun) { // not earlier: a cursor that was not asked has nothing open
            next = ownNext();
            isBegun = true;
          }
          JournalRecord now = next;
          LocalRecord first = local.peek();
          if (first != null && (now == null || first.position() < now.position())) {
            return local.remove().asRecord();
          }
          next = now == null ? null : ownNext();
          return now;
        }

        @Override
        public void close() {
          journal.close();
        }
      };
    }

    @Override
    public void forEachOfOthers(Selection wanted, RecordVisitor visitor) {
      all.forEachFrom(
          firstPosition(),
          wanted,
          record -> {
            if (isForeign(record)) {
              visitor.visit(record);
            }
          });
    }

    private boolean isForeign(JournalRecord record) {
      return saved.owned().isForeign(record.kind(), record.viewId(), record.position());
    }
  }
}
