package dev.holdfast.journal;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.file.ExpectedJournal;
import dev.holdfast.journal.file.JournalScan;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.ScannedRecords;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.file.SegmentsCopy;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.JournalCopy;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The journal of a data directory that no runtime has open, for copies of it. Its end is where an
 * opening would find it: a torn tail is not copied. Changes nothing. Immutable.
 */
public final class StoppedJournal {

  private final Disk disk;
  private final Segments segments;
  private final JournalScan.Result found;

  private StoppedJournal(Disk disk, Segments segments, JournalScan.Result found) {
    this.disk = disk;
    this.segments = segments;
    this.found = found;
  }

  /**
   * Reads and checks the journal of a data directory, as an opening does.
   *
   * @param disk where it is
   * @param dataDirectory the data directory; its lock is held while the result is used
   * @return the journal
   * @throws dev.holdfast.errors.JournalCorruptException if it is damaged at a place that no crash
   *     can have torn
   * @throws DataDirectoryException if there is no journal, it cannot be read, or was written by a
   *     newer version
   */
  public static StoppedJournal read(Disk disk, Path dataDirectory) {
    try {
      MarkFile mark = new MarkFile(disk, dataDirectory.resolve(FileJournal.MARK_FILE_NAME));
      ExpectedJournal expected = new ExpectedJournal(mark.file(), mark.read());
      Segments segments = Segments.list(disk, dataDirectory.resolve(FileJournal.DIRECTORY_NAME));
      if (segments.isEmpty() && expected.mark() == null) {
        throw new DataDirectoryException(
            dataDirectory, "The directory has no journal; name a data directory", null);
      }
      JournalScan.Result found =
          new JournalScan(disk, segments, expected, new ScannedRecords(0)).run(() -> 0);
      return new StoppedJournal(disk, segments, found);
    } catch (IOException e) {
      throw new DataDirectoryException(dataDirectory, "The journal cannot be read", e);
    }
  }

  /** {@return the position of the last record; 0 if there is none} */
  public long lastPosition() {
    return found.lastPosition();
  }

  /**
   * Begins to copy the files of the journal.
   *
   * @param target receives the files
   * @return the copy
   */
  public JournalCopy beginCopy(BackupTarget target) {
    return new SegmentsCopy(
        disk,
        segments,
        new SegmentsCopy.Pinned(found.journalId(), found.lowWaterMark()),
        new SegmentsCopy.Names(FileJournal.DIRECTORY_NAME, FileJournal.MARK_FILE_NAME),
        target,
        () -> {});
  }
}
