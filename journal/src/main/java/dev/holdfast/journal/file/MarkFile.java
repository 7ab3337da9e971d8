package dev.holdfast.journal.file;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FormatVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A small file beside the journal that states which journal belongs there and how far it has come,
 * so that a missing, older or foreign journal is detected; {@code docs/formats/journal.md} has the
 * layout. It is written when a segment is begun, when old segments are reviewed, and at close:
 * never for a commit.
 *
 * <p>Thread-safe.
 */
public final class MarkFile {

  static final int LENGTH_BYTES = 96;

  private static final long MAGIC = 0x48464A4E4D41524BL; // HFJNMARK
  private static final int VERSION = 2;
  private static final int CHECKED_FROM = 16;

  private static final Mark NONE = new Mark(0, 0, 0, null);

  private final Disk disk;
  private final Path file;

  private Mark mark = NONE; // guarded by this

  /**
   * The content of the file.
   *
   * @param journalId the id of the journal
   * @param endPosition the journal ends here or later
   * @param newestSegment first position of a segment that was begun; 0 for none
   * @param cleanEnd the exact end of the journal; null unless it was closed cleanly
   */
  public record Mark(
      long journalId, long endPosition, long newestSegment, @Nullable CleanEnd cleanEnd) {}

  /**
   * The end of a journal that was closed cleanly: opening it needs no search for the end.
   *
   * @param salt the salt of the newest segment
   * @param tailPosition no view needs records before it
   * @param tailOffset the start of the group of this position in the newest segment
   * @param endOffset the end of the last group
   * @param lowWaterMark at or after the tail position
   */
  public record CleanEnd(
      long salt, long tailPosition, long tailOffset, long endOffset, long lowWaterMark) {}

  public MarkFile(Disk disk, Path file) {
    this.disk = disk;
    this.file = file;
  }

  public Path file() {
    return file;
  }

  /**
   * Reads the file.
   *
   * @return null if there is none
   * @throws DataDirectoryException if it is damaged or of another version
   */
  public synchronized @Nullable Mark read() throws IOException {
    if (!disk.exists(file)) {
      return null;
    }
    byte[] content = new byte[LENGTH_BYTES];
    boolean whole;
    try (DiskFile open = disk.open(file, Mode.READ)) {
      whole = open.size() == LENGTH_BYTES && open.read(content, 0, LENGTH_BYTES, 0) == LENGTH_BYTES;
    }
    ByteBuffer bytes = ByteBuffer.wrap(content);
    if (!whole || bytes.getLong() != MAGIC) {
      throw damaged();
    }
    int version = bytes.getInt();
    if (bytes.getInt() != checksum(content)) {
      throw damaged();
    }
    if (version != VERSION) {
      throw FormatVersion.refusal(file, "The journal", version, VERSION);
    }
    mark = decode(bytes);
    return mark;
  }

  private DataDirectoryException damaged() {
    return new DataDirectoryException(
        file,
        "The file is damaged; it names the journal that belongs to this directory and where it"
            + " ends. Restore the whole data directory from one copy; nothing was changed",
        null);
  }

  private static Mark decode(ByteBuffer bytes) {
    long journalId = bytes.getLong();
    long endPosition = bytes.getLong();
    long newestSegment = bytes.getLong();
    CleanEnd end =
        new CleanEnd(
            bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    return new Mark(journalId, endPosition, newestSegment, end.tailPosition() == 0 ? null : end);
  }

  /**
   * Records that the journal is open now, and where it ended. A journal must not be written without
   * this: the end that the file has from the last close would cut off later records.
   *
   * @throws DataDirectoryException if the file cannot be written: above all because the disk is
   *     full
   */
  public void opened(long journalId, long endPosition, long newestSegment) {
    try {
      write(new Mark(journalId, endPosition, newestSegment, null));
    } catch (IOException e) {
      throw new DataDirectoryException(
          file,
          "The file cannot be written ("
              + e.getMessage()
              + "), and must state that the journal is in use before anything is opened. Free some"
              + " space on the disk (a megabyte is enough) or repair it, and open the directory"
              + " again; nothing is lost",
          e);
    }
  }

  /** Records that a segment was begun after a position. */
  public synchronized void begun(long newestSegment) throws IOException {
    assert newestSegment >= mark.newestSegment();
    write(new Mark(mark.journalId(), newestSegment - 1, newestSegment, null));
  }

  /** Records that the journal has come this far. */
  public synchronized void raise(long endPosition) throws IOException {
    if (endPosition > mark.endPosition()) {
      write(new Mark(mark.journalId(), endPosition, mark.newestSegment(), null));
    }
  }

  /** Records where the journal ended when it was closed. */
  public synchronized void closed(long endPosition, CleanEnd end) throws IOException {
    assert endPosition >= mark.endPosition() && end.tailOffset() <= end.endOffset();
    write(new Mark(mark.journalId(), endPosition, mark.newestSegment(), end));
  }

  /** A new file replaces the old one atomically: one of them always exists. */
  private synchronized void write(Mark next) throws IOException {
    if (next.equals(mark)) {
      return;
    }
    byte[] content = encode(next);
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    disk.delete(fresh);
    try (DiskFile open = disk.open(fresh, Mode.CREATE)) {
      open.write(content, 0, LENGTH_BYTES, 0);
      open.force();
    }
    disk.move(fresh, file);
    Path parent = file.getParent();
    if (parent != null) {
      disk.forceDirectory(parent);
    }
    mark = next;
  }

  static byte[] encode(Mark mark) {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH_BYTES);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(0);
    bytes.putLong(mark.journalId()).putLong(mark.endPosition()).putLong(mark.newestSegment());
    CleanEnd end = mark.cleanEnd();
    if (end != null) {
      bytes.putLong(end.salt()).putLong(end.tailPosition()).putLong(end.tailOffset());
      bytes.putLong(end.endOffset()).putLong(end.lowWaterMark());
    }
    bytes.putInt(CHECKED_FROM - 4, checksum(bytes.array()));
    return bytes.array();
  }

  private static int checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, CHECKED_FROM - 4);
    crc.update(content, CHECKED_FROM, LENGTH_BYTES - CHECKED_FROM);
    return (int) crc.getValue();
  }
}
