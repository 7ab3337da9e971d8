package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.file.ExpectedJournal;
import dev.holdfast.journal.file.JournalScan;
import dev.holdfast.journal.file.LastGroup;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.ScannedRecords;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.journal.replica.OwnedPositions.Span;
import dev.holdfast.journal.replica.Purges;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a single machine that becomes the one of the first replica of a shard. Its
 * segments stay as they are, with its id: all of its records count as appended by this replica as
 * the owner, so the files of its objects go on from their checkpoints.
 */
public final class AdoptedJournal {

  private static final int FILL_BYTES = 1 << 20;

  private AdoptedJournal() {}

  /** The objects of a directory. */
  @FunctionalInterface
  public interface Objects {

    /**
     * Checks that other nodes can get them.
     *
     * @param records all records that there are
     * @param lastPosition the position of the last one
     * @throws DataDirectoryException if they cannot
     */
    void require(RecoveryLog records, long lastPosition);
  }

  /**
   * Checks a journal, all of its segments, and writes beside it what a replica states that has it.
   * The data directory means the same as before: without its file {@code saved} in another place
   * than its journal is, it is not a replica. Doing so again has the same effect.
   *
   * @param disk where it is
   * @param lock of the data directory
   * @param replica the directory of the replica that has the journal later; created if missing
   * @param incarnations makes the incarnation of the replica
   * @param objects throws if other nodes could not get the objects of the directory
   * @return the position of the last record; 0 if there is none
   * @throws DataDirectoryException if it is damaged, or cannot be read or written
   * @throws dev.holdfast.errors.JournalCorruptException if it is missing, older than it was, or
   *     another directory's
   */
  public static long prepare(
      Disk disk, DirectoryLock lock, Path replica, LongSupplier incarnations, Objects objects) {
    try {
      Saved state = state(disk, lock.directory(), incarnations, objects);
      disk.ensureDirectory(replica);
      new SavedFile(disk, replica).write(state);
      return state.point().lastPosition();
    } catch (IOException e) {
      throw new DataDirectoryException(
          lock.directory(), "The journal cannot be read or written", e);
    }
  }

  /** {@return what a replica has that has the journal of a data directory, and its files} */
  static Saved state(Disk disk, Path data, LongSupplier incarnations, Objects objects)
      throws IOException {
    RecoveryLog records = JournalCheck.requireSound(disk, data).records();
    MarkFile mark = new MarkFile(disk, data.resolve(FileJournal.MARK_FILE_NAME));
    ExpectedJournal expected = new ExpectedJournal(mark.file(), mark.read());
    Segments segments = Segments.list(disk, data.resolve(FileJournal.DIRECTORY_NAME));
    if (segments.isEmpty() && expected.mark() == null) {
      throw new DataDirectoryException(
          data, "The directory has no journal; name a data directory", null);
    }
    JournalScan.Result found =
        new JournalScan(disk, segments, expected, new ScannedRecords(0)).run(incarnations);
    objects.require(records, found.lastPosition());
    SavedPoint point = SavedPoint.NONE.of(found.journalId());
    if (found.tail() != null) {
      settle(disk, segments, found.tail());
    }
    // Not the end of the journal: other nodes get no group without records.
    JournalScan.Tail tail = recordsEnd(disk, segments, found.lastPosition());
    if (tail != null) {
      settle(disk, segments, tail);
      point =
          new SavedPoint(
              found.journalId(),
              /* index= */ 0,
              /* epoch= */ 0,
              found.lastPosition(),
              tail.header().firstPosition(),
              tail.header().salt(),
              tail.header().allocatedBytes(),
              tail.endOffset(),
              records.oldestPosition(),
              /* leaseMillis= */ 0,
              Purges.NONE);
    }
    return new Saved(
        point,
        incarnations.getAsLong(),
        found.lowWaterMark(),
        owned(found.lastPosition()),
        /* owner= */ null);
  }

  /**
   * {@return the end of the last group with records, in its segment; null if there is no record} A
   * journal of a single machine may have groups without records behind it, which state its
   * low-water mark; the journal of a shard has none.
   */
  private static JournalScan.@Nullable Tail recordsEnd(
      Disk disk, Segments segments, long lastPosition) throws IOException {
    Long segment = lastPosition == 0 ? null : segments.holding(lastPosition);
    if (segment == null) {
      return null;
    }
    Path path = segments.fileOf(segment);
    try (SegmentReader reader = SegmentReader.open(disk, path)) {
      SegmentHeader header = reader.header();
      if (header == null) {
        throw new IOException(path + " was valid a moment ago, and no longer is");
      }
      SegmentWalk walk = SegmentWalk.of(reader, header);
      while (walk.position() <= lastPosition) {
        if (walk.next(SegmentWalk.HEADER) == null) {
          throw new IOException(path + " has no record " + lastPosition + " any more");
        }
      }
      return new JournalScan.Tail(header, reader.sizeBytes(), walk.groupOffset(), walk.offset());
    }
  }

  /** The segment gets the size that its header states: other nodes have it in that size. */
  private static void settle(Disk disk, Segments segments, JournalScan.Tail tail)
      throws IOException {
    try (DiskFile newest = LastGroup.rewrite(disk, segments, tail)) {
      long end = tail.header().allocatedBytes();
      byte[] zeros = new byte[FILL_BYTES];
      for (long at = newest.size(); at < end; at += FILL_BYTES) {
        newest.write(zeros, 0, (int) Math.min(FILL_BYTES, end - at), at);
      }
      newest.force();
    }
  }

  private static OwnedPositions owned(long lastPosition) {
    return lastPosition == 0
        ? OwnedPositions.NONE
        : new OwnedPositions(List.of(new Span(1, lastPosition)));
  }
}
