package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.replica.Bases;
import dev.holdfast.journal.replica.BasesFile;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The rounds of a replica that its node does not own: each brings the files of the objects forward
 * by a part of the journal. Rounds are confined to the thread that opens and closes the files of
 * the objects; everything else is thread-safe.
 */
final class ReplicaRounds {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final int CHUNK_BYTES = 256 << 10;

  /** What a record costs beside its payload, about. */
  private static final int RECORD_BYTES = 64;

  private final Path directory;
  private final BasesFile file;

  private boolean isClosed;

  ReplicaRounds(Path directory, BasesFile file) {
    this.directory = directory;
    this.file = file;
  }

  /**
   * What a replica has when a round begins.
   *
   * @param lowWaterMark the first position that the views need
   * @param lastPosition the last record that is durable here
   * @param epochPosition the first record of the present epoch; 0 if it is not known
   * @param owned which records this node has appended
   */
  record Start(long lowWaterMark, long lastPosition, long epochPosition, OwnedPositions owned) {}

  /** Is notified that a round has ended. */
  interface Finished {

    /**
     * Called once all is durable.
     *
     * @param end the last record of the round
     * @param bytes about how long the records were that no round had read before
     * @param lowWaterMark the first position that the views need now
     */
    void finished(long end, long bytes, long lowWaterMark);
  }

  /** {@return what the views have recorded in rounds} */
  synchronized Bases bases(long journalId) {
    try {
      return file.read(journalId);
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory, "What the files of the objects have cannot be read", e);
    }
  }

  /**
   * Records durably that the files of the objects may soon have all records up to a position: no
   * round may end before it. To be called before the files change.
   */
  synchronized void reach(long journalId, long position) {
    requireOpen();
    Bases known = bases(journalId);
    if (known.reach() >= position) {
      return;
    }
    try {
      file.write(journalId, known.reaching(position));
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory,
          "What the files of the objects will have cannot be recorded ("
              + e.getMessage()
              + "); they were not changed. Repair the disk and open the node again",
          e);
    }
  }

  /**
   * Records what {@link #reach} records, for an ownership that is only claimed: the log agrees
   * meanwhile. If the claim has no effect, rounds wait until the replica has that record of another
   * owner. What fails here is repeated by the opening, which reports it.
   *
   * @param journalId the id of the journal; 0 if no node has opened the shard yet
   */
  void reachEarly(long journalId, long position) {
    if (journalId == 0) {
      return;
    }
    try {
      reach(journalId, position);
    } catch (DataDirectoryException | JournalFailedException e) {
      LOG.log(Level.DEBUG, "The opening of a shard that is claimed has to repeat a write.", e);
    }
  }

  private synchronized void record(long journalId, Bases bases) throws IOException {
    requireOpen();
    file.write(journalId, bases.reaching(file.read(journalId).reach()));
  }

  /** Waits until nothing is written. From then on the file may be that of the next replica. */
  synchronized void close() {
    isClosed = true;
  }

  private void requireOpen() {
    if (isClosed) {
      throw new JournalFailedException("The replica of the shard was closed.", null);
    }
  }

  /**
   * {@return the last record that the files of the objects may have, as an earlier ownership or
   * round has left them: to read less would bring them to a state that never was}
   *
   * @param owned which records this node has appended
   */
  long horizon(long journalId, OwnedPositions owned) {
    return horizon(bases(journalId), owned);
  }

  static long horizon(Bases bases, OwnedPositions owned) {
    return Math.max(bases.reach(), owned.last());
  }

  /**
   * {@return a round; null if there is nothing new}
   *
   * @param bytesMax about how much it reads; more if the files may have more
   * @param isKept the views without files
   */
  @Nullable RoundJournal begin(
      SegmentHistory history, Start start, long bytesMax, IntPredicate isKept, Finished finished) {
    Bases before = bases(history.journalId());
    long first = Math.max(before.end() + 1, start.lowWaterMark());
    if (start.lastPosition() < first) {
      return null;
    }
    Extent extent = new Extent(first, start);
    ShardRecoveryLog.requireSegments(history, start.lowWaterMark(), start.lastPosition());
    long journalId = history.journalId();
    extent.read(history.reader(), horizon(before, start.owned()), bytesMax);
    reach(journalId, extent.end);
    return new RoundJournal(
        new RoundJournal.Bounds(journalId, start.lowWaterMark(), extent.end, extent.needed()),
        new RoundJournal.Target(
            before,
            bases -> record(journalId, bases),
            mark -> finished.finished(extent.end, extent.bytes, mark)),
        isKept,
        ShardRecoveryLog.ofRound(history, start.lowWaterMark(), extent.end, start.owned(), before),
        history);
  }

  /** Which records a round reads. */
  static final class Extent {

    private record Part(int viewId, ObjectKey key) {}

    private final long first;
    private final Start start;

    /** The first part of each batch of which the last record was not read. */
    private final Map<Part, Long> open = new HashMap<>();

    private long end;
    private long bytes;

    Extent(long first, Start start) {
      this.first = first;
      this.start = start;
    }

    /** From the low-water mark on: a batch may have parts that an earlier round has read. */
    void read(JournalHistory.Reader reader, long horizon, long bytesMax) {
      long next = start.lowWaterMark();
      boolean isFull = false;
      while (next <= start.lastPosition() && !isFull) {
        long after = reader.read(next, CHUNK_BYTES, (_, _) -> true, this::visit);
        if (after <= next) {
          break;
        }
        next = after;
        isFull = next > Math.max(first, horizon) && bytes >= bytesMax;
      }
      end = Math.min(next - 1, start.lastPosition());
    }

    private void visit(JournalRecord record) {
      if (record.position() >= first) {
        bytes += RECORD_BYTES + record.payload().remaining();
      }
      Part part = new Part(record.viewId(), record.key());
      if (record.kind() == RecordKind.UNDO_PART) {
        open.merge(part, record.position(), this::firstOf);
      } else if (record.kind().isBatch()) {
        open.remove(part);
      }
    }

    /** Parts of an earlier epoch do not belong to a batch of the present one. */
    private long firstOf(long known, long next) {
      return known < start.epochPosition() && next >= start.epochPosition() ? next : known;
    }

    /**
     * {@return the first part of a batch that a later round may read; the largest long if none} The
     * owner that wrote the parts of an earlier epoch has given them up, if its records were read.
     */
    long needed() {
      long given = end + 1 >= start.epochPosition() ? start.epochPosition() : 0;
      return open.values().stream()
          .filter(position -> position >= given)
          .min(Long::compare)
          .orElse(Long.MAX_VALUE);
    }
  }
}
