package dev.holdfast.journal.file;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The first page of a segment; {@code docs/formats/journal.md} has the layout. Immutable.
 *
 * @param firstPosition position of the first record of the segment
 * @param journalId the same in all segments of a journal
 * @param salt unique to this segment; every group in it repeats it
 * @param lowWaterMark low-water mark when the segment was begun
 * @param allocatedBytes size of the file when the segment was begun
 * @param wallMillis when the segment was begun
 * @param isMarked whether there is a {@link MarkFile} beside the journal
 */
public record SegmentHeader(
    long firstPosition,
    long journalId,
    long salt,
    long lowWaterMark,
    long allocatedBytes,
    long wallMillis,
    boolean isMarked) {

  /** Files are written and allocated in pages of this size. */
  public static final int PAGE_BYTES = 4096;

  /** The header has its own page before the groups, so that it is never rewritten. */
  public static final int LENGTH_BYTES = PAGE_BYTES;

  /** The only version this code reads and writes. */
  public static final int VERSION = 2;

  private static final long MAGIC = 0x48464A4F55524E4CL; // HFJOURNL

  /**
   * The time of a segment of which it is not known when it was begun. It is in the future: moments
   * are looked up from the next segment on, as after a clock that was ahead.
   */
  public static final long UNKNOWN_MILLIS = 1L << 46;

  private static final long MARKED = 1;

  /** The result of checking a header page. */
  public enum State {
    VALID,
    DAMAGED,
    OTHER_VERSION,
    /** The file ends before the end of the page. */
    SHORT
  }

  public byte[] encode() {
    ByteBuffer page = ByteBuffer.allocate(LENGTH_BYTES);
    page.putLong(MAGIC).putInt(VERSION).putInt(0);
    page.putLong(firstPosition).putLong(journalId).putLong(salt).putLong(lowWaterMark);
    page.putLong(allocatedBytes).putLong(wallMillis).putLong(isMarked ? MARKED : 0);
    page.putInt(12, checksum(page.array()));
    return page.array();
  }

  /** {@return the state of a page; the version counts only if the checksum is right} */
  public static State stateOf(byte @Nullable [] page) {
    if (page == null) {
      return State.SHORT;
    }
    ByteBuffer bytes = ByteBuffer.wrap(page);
    if (bytes.getLong(0) != MAGIC || bytes.getInt(12) != checksum(page)) {
      return State.DAMAGED;
    }
    return versionOf(page) == VERSION ? State.VALID : State.OTHER_VERSION;
  }

  /** {@return the format version of a page that is not damaged} */
  public static int versionOf(byte[] page) {
    return ByteBuffer.wrap(page).getInt(8);
  }

  /** Reads a page whose state is {@link State#VALID}. */
  public static SegmentHeader decode(byte[] page) {
    ByteBuffer bytes = ByteBuffer.wrap(page).position(16);
    return new SegmentHeader(
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        (bytes.getLong() & MARKED) != 0);
  }

  private static int checksum(byte[] page) {
    CRC32C crc = new CRC32C();
    crc.update(page, 0, 12);
    crc.update(page, 16, LENGTH_BYTES - 16);
    return (int) crc.getValue();
  }
}
