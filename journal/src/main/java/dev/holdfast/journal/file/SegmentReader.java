package dev.holdfast.journal.file;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Predicate;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads one segment through a window of bounded size: a whole record is in memory only during the
 * call of a visitor.
 *
 * <p>Confined to one thread.
 */
public final class SegmentReader implements AutoCloseable {

  private static final int WINDOW_BYTES = 1 << 20;

  /** Bytes read from the start of a single record: most records are smaller. */
  private static final int BEHIND_BYTES = 4096;

  private final Path path;
  private final DiskFile file;
  private final long sizeBytes;
  private byte[] window = new byte[0];
  private long windowOffset;
  private int windowLength;

  /** How much is read at once, at most; a larger record is read as a whole. */
  private int windowBytes = WINDOW_BYTES;

  /** No read-ahead beyond this offset. */
  private long readAheadEnd = Long.MAX_VALUE;

  private SegmentReader(Path path, DiskFile file) throws IOException {
    this.path = path;
    this.file = file;
    this.sizeBytes = file.size();
  }

  public static SegmentReader open(Disk disk, Path path) throws IOException {
    DiskFile file = disk.open(path, Mode.READ);
    try {
      return new SegmentReader(path, file);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /** {@return a reader of bytes in memory} */
  public static SegmentReader of(ArrayFile bytes, Path name) throws IOException {
    SegmentReader reader = new SegmentReader(name, bytes);
    reader.window = bytes.array();
    reader.windowLength = Math.toIntExact(reader.sizeBytes);
    return reader;
  }

  /** Reads bytes without a check. */
  public void read(long offset, byte[] target, int targetOffset) throws IOException {
    int length = target.length - targetOffset;
    if (file.read(target, targetOffset, length, offset) != length) {
      throw new EOFException(path + " became shorter than " + sizeBytes + " bytes");
    }
  }

  /** {@return the header; null if there is no valid one of a known version} */
  public @Nullable SegmentHeader header() throws IOException {
    byte[] page = headerPage();
    return page != null && SegmentHeader.stateOf(page) == SegmentHeader.State.VALID
        ? SegmentHeader.decode(page)
        : null;
  }

  /**
   * {@return the header}
   *
   * @param position what a reader was looking for
   * @param damage a part of a sentence that says what is wrong if there is no valid header
   * @throws JournalCorruptException if there is no valid one of a known version
   */
  public SegmentHeader requireHeader(long position, String damage) throws IOException {
    SegmentHeader header = header();
    if (header == null) {
      throw new JournalCorruptException(path, 0, position, damage);
    }
    return header;
  }

  public Path path() {
    return path;
  }

  /** Limits read-ahead: bytes after an offset are not needed. */
  void readAheadUpTo(long offset) {
    readAheadEnd = offset;
  }

  /** Limits read-ahead for a reader of few records. */
  void readAhead(long records) {
    readAtOnce((1 + records) * BEHIND_BYTES);
  }

  /** Limits how much is read at once. */
  void readAtOnce(long bytes) {
    windowBytes = Math.clamp(bytes, BEHIND_BYTES, WINDOW_BYTES);
  }

  public long sizeBytes() {
    return sizeBytes;
  }

  /** {@return the first page; null if the file is shorter} */
  public byte @Nullable [] headerPage() throws IOException {
    byte[] page = new byte[SegmentHeader.LENGTH_BYTES];
    return file.read(page, 0, page.length, 0) == page.length ? page : null;
  }

  /** {@return the header of a group of this segment at an offset; null if there is none} */
  public @Nullable GroupHeader groupAt(long offset, long salt) throws IOException {
    int at = load(offset, GroupHeader.LENGTH_BYTES);
    GroupHeader header = at < 0 ? null : GroupHeader.decode(window, at);
    return header != null && header.salt() == salt ? header : null;
  }

  /** {@return the header of the group that these bytes begin with; null if there is none} */
  public @Nullable GroupHeader groupHeader() throws IOException {
    return anyGroupAt(0);
  }

  /** {@return the header of a group of any segment at an offset; null if there is none} */
  public @Nullable GroupHeader anyGroupAt(long offset) throws IOException {
    int at = load(offset, GroupHeader.LENGTH_BYTES);
    return at < 0 ? null : GroupHeader.decode(window, at);
  }

  /** {@return bytes of the file; fewer at its end} */
  public byte[] bytesAt(long offset, int lengthBytes) throws IOException {
    int length = (int) Math.max(0, Math.min(lengthBytes, sizeBytes - offset));
    int at = load(offset, length);
    return Arrays.copyOfRange(window, at, at + length);
  }

  /**
   * Checks the records of a group.
   *
   * @return whether the whole group is valid
   */
  public boolean isValid(GroupHeader header, long offset) throws IOException {
    return read(header, offset, _ -> false, _ -> {});
  }

  /**
   * Checks the records of a group, and passes some of them to a visitor, each after its checksum
   * was verified. Only those are ever in memory as a whole.
   *
   * @return whether the whole group is valid; if not, the visitor may have seen a part of it
   */
  boolean read(
      GroupHeader header, long offset, Predicate<RecordHeader> wanted, RecordVisitor visitor)
      throws IOException {
    CRC32C digest = new CRC32C();
    byte[] checksum = new byte[4];
    boolean isEachValid =
        forEach(
            header,
            offset,
            (record, position, at) -> {
              boolean isWanted = wanted.test(record);
              if (isWanted) {
                load(at, Math.toIntExact(record.recordBytes())); // once, for the checksum as well
              }
              if (!checksumIsRight(record, at)) {
                return false;
              }
              if (isWanted) {
                visitor.visit(recordFrom(record, at, position));
              }
              ByteBuffer.wrap(checksum).putInt(record.checksum());
              digest.update(checksum);
              return true;
            });
    return isEachValid && (int) digest.getValue() == header.digest();
  }

  /** Sees the header of a record. */
  @FunctionalInterface
  public interface RecordStep {

    /**
     * Takes a record.
     *
     * @param record its header
     * @param position its position
     * @param offset where it is in the segment
     * @return whether to go on with the next one
     * @throws IOException if it cannot be read
     */
    boolean take(RecordHeader record, long position, long offset) throws IOException;
  }

  /**
   * Passes the headers of the records of a group, in order. Their checksums are not verified.
   *
   * @param header of the group
   * @param offset of the group
   * @param step takes the records
   * @return whether the group has all the records that its header states, and the step took each
   * @throws IOException if they cannot be read
   */
  public boolean forEach(GroupHeader header, long offset, RecordStep step) throws IOException {
    long end = offset + header.groupBytes();
    if (end < offset || end > sizeBytes) {
      return false;
    }
    long at = offset + GroupHeader.LENGTH_BYTES;
    for (int i = 0; i < header.recordCount(); i++) {
      RecordHeader record = recordAt(at, end);
      if (record == null || !step.take(record, header.firstPosition() + i, at)) {
        return false;
      }
      at += record.recordBytes();
    }
    return at == end;
  }

  /**
   * Adds the records of a group to an index. Reads only their headers: the group was found valid
   * before, or was written by this process.
   *
   * @return whether the number of records matches the header
   */
  public boolean index(GroupHeader header, long offset, SegmentIndex index) throws IOException {
    return forEach(
        header,
        offset,
        (record, _, at) -> {
          int in = load(at, RecordHeader.LENGTH_BYTES + record.namespaceBytes());
          long hash =
              SegmentIndex.hashOf(
                  window,
                  in + RecordHeader.ID_OFFSET,
                  in + RecordHeader.LENGTH_BYTES,
                  record.namespaceBytes());
          index.add(hash, record, at);
          return true;
        });
  }

  /**
   * Reads one record.
   *
   * @param windowFrom the offset before the record from which to read as well, for the next records
   * @return the record, valid until the next read; null if there is no valid one at the offset
   */
  @Nullable JournalRecord recordAt(long offset, long position, long windowFrom) throws IOException {
    if (offset < windowOffset || offset >= windowOffset + windowLength) {
      loadAround(windowFrom, offset);
    }
    RecordHeader record = recordAt(offset, sizeBytes);
    return record != null && checksumIsRight(record, offset)
        ? recordFrom(record, offset, position)
        : null;
  }

  /** {@return the header of the record at an offset; null if there is none} */
  public @Nullable RecordHeader recordHeaderAt(long offset) throws IOException {
    return recordAt(offset, sizeBytes);
  }

  /** {@return the record with a header, valid until the next read; null if it is damaged} */
  public @Nullable JournalRecord record(RecordHeader header, long offset, long position)
      throws IOException {
    load(offset, Math.toIntExact(header.recordBytes())); // once, for the checksum as well
    return checksumIsRight(header, offset) ? recordFrom(header, offset, position) : null;
  }

  /** Fills the window so that it ends a little after an offset. */
  private void loadAround(long from, long offset) throws IOException {
    int length = (int) Math.min(offset + BEHIND_BYTES - from, sizeBytes - from);
    windowLength = 0;
    if (window.length < length) {
      window = new byte[length];
    }
    windowOffset = from;
    windowLength = file.read(window, 0, length, from);
  }

  private @Nullable RecordHeader recordAt(long offset, long end) throws IOException {
    if (end - offset < RecordHeader.LENGTH_BYTES) {
      return null;
    }
    int at = load(offset, RecordHeader.LENGTH_BYTES);
    RecordHeader record = at < 0 ? null : RecordHeader.decode(window, at);
    return record != null && record.recordBytes() <= end - offset ? record : null;
  }

  private boolean checksumIsRight(RecordHeader record, long offset) throws IOException {
    if (record.recordBytes() <= WINDOW_BYTES) {
      load(offset, (int) record.recordBytes()); // once, not for each of its parts
    }
    int headBytes = RecordHeader.LENGTH_BYTES + record.namespaceBytes();
    CRC32C crc = new CRC32C();
    for (int done = 0; done < record.payloadBytes(); ) {
      int count = Math.min(record.payloadBytes() - done, WINDOW_BYTES);
      int part = load(offset + headBytes + done, count); // first: it may replace the window
      crc.update(window, part, count);
      done += count;
    }
    int at = load(offset, headBytes);
    RecordHeader.updateChecksum(crc, window, at, record.namespaceBytes());
    return (int) crc.getValue() == record.checksum() && paddingIsZero(record, offset);
  }

  private boolean paddingIsZero(RecordHeader record, long offset) throws IOException {
    long start =
        offset + RecordHeader.LENGTH_BYTES + record.namespaceBytes() + record.payloadBytes();
    int length = (int) (offset + record.recordBytes() - start);
    int at = load(start, length);
    for (int i = 0; i < length; i++) {
      if (window[at + i] != 0) {
        return false;
      }
    }
    return true;
  }

  private JournalRecord recordFrom(RecordHeader record, long offset, long position)
      throws IOException {
    int at = load(offset, Math.toIntExact(record.recordBytes()));
    int namespaceAt = at + RecordHeader.LENGTH_BYTES;
    ByteBuffer payload =
        ByteBuffer.wrap(window, namespaceAt + record.namespaceBytes(), record.payloadBytes())
            .slice()
            .asReadOnlyBuffer();
    return new JournalRecord(
        position,
        record.wallMillis(),
        record.kind(),
        record.viewId(),
        record.keyWith(window, namespaceAt),
        record.link(),
        payload);
  }

  /**
   * Searches for a group header that proves that everything before it was once durable.
   *
   * @param from the offset to begin at, a multiple of 8
   * @param salt the salt of the segment
   * @param position lowest position of interest
   * @return its offset, or -1
   */
  long findGroup(long from, long salt, long position) throws IOException {
    long offset = from;
    while (offset + GroupHeader.LENGTH_BYTES <= sizeBytes) {
      int at = load(offset, GroupHeader.LENGTH_BYTES);
      int last = (int) (windowOffset + windowLength - offset) + at - GroupHeader.LENGTH_BYTES;
      ByteBuffer bytes = ByteBuffer.wrap(window);
      for (; at <= last; at += 8, offset += 8) {
        if (bytes.getInt(at) == GroupHeader.MAGIC) {
          GroupHeader header = GroupHeader.decode(window, at);
          if (header != null && header.salt() == salt && header.firstPosition() >= position) {
            return offset;
          }
        }
      }
    }
    return -1;
  }

  /**
   * Makes bytes of the file available in the window.
   *
   * @return their offset in the window; -1 if the file is shorter
   */
  private int load(long offset, int lengthBytes) throws IOException {
    long end = offset + lengthBytes;
    if (offset >= windowOffset && end <= windowOffset + windowLength) {
      return (int) (offset - windowOffset);
    }
    if (end > sizeBytes) {
      return -1;
    }
    int kept = moveWindow(offset, lengthBytes);
    long ahead = Math.max(readAheadEnd - offset, lengthBytes);
    int length = (int) Math.min(Math.min(window.length, ahead), sizeBytes - offset);
    windowLength = kept; // in case the read fails
    if (length > kept) {
      windowLength += file.read(window, kept, length - kept, offset + kept);
    }
    if (windowLength < lengthBytes) {
      throw new EOFException(
          path + " became shorter than " + sizeBytes + " bytes while it was read");
    }
    return 0;
  }

  /**
   * Moves the start of the window to an offset and keeps its bytes from that offset on: no byte is
   * read twice. The memory of one huge record must not be kept for all the small ones after it.
   *
   * @return the number of bytes kept
   */
  private int moveWindow(long offset, int lengthBytes) {
    int wanted = Math.max((int) Math.min(windowBytes, sizeBytes), lengthBytes);
    long end = windowOffset + windowLength;
    int kept = offset < windowOffset || offset >= end ? 0 : (int) Math.min(end - offset, wanted);
    int from = kept == 0 ? 0 : (int) (offset - windowOffset);
    byte[] moved = window.length == wanted ? window : new byte[wanted];
    System.arraycopy(window, from, moved, 0, kept);
    window = moved;
    windowOffset = offset;
    return kept;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
