package dev.holdfast.journal.file;

import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.disk.FormatVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whole groups of a journal in the form of a segment without spare room, for an archive: {@code
 * docs/formats/archive.md}. Every byte was checked. Immutable.
 */
public final class JournalChunk {

  private final byte[] bytes;
  private final SegmentHeader header;
  private final long lastPosition;

  private JournalChunk(byte[] bytes, SegmentHeader header, long lastPosition) {
    this.bytes = bytes;
    this.header = header;
    this.lastPosition = lastPosition;
  }

  /**
   * Reads a chunk.
   *
   * @param bytes all of it; not changed afterwards
   * @param name for messages
   * @return the chunk
   * @throws JournalCorruptException if any byte is missing, superfluous or wrong
   * @throws dev.holdfast.errors.DataDirectoryException if it is of another version
   */
  public static JournalChunk of(byte[] bytes, Path name) {
    try (SegmentReader reader = SegmentReader.of(new ArrayFile(bytes), name)) {
      byte[] page = reader.headerPage();
      if (page != null && SegmentHeader.stateOf(page) == SegmentHeader.State.OTHER_VERSION) {
        throw FormatVersion.refusal(
            name, "The archived journal", SegmentHeader.versionOf(page), SegmentHeader.VERSION);
      }
      SegmentHeader header = reader.requireHeader(0, "its header is damaged");
      long position = header.firstPosition();
      if (header.allocatedBytes() != bytes.length) {
        throw new JournalCorruptException(
            name, 0, position, "its size is not " + header.allocatedBytes() + " bytes");
      }
      SegmentWalk walk = SegmentWalk.of(reader, header);
      while (walk.offset() < bytes.length) {
        walk.require(SegmentWalk.RECORDS, "no valid group of records is here");
      }
      return new JournalChunk(bytes, header, walk.position() - 1);
    } catch (IOException e) {
      throw new IllegalStateException("Bytes in memory could not be read", e);
    }
  }

  /**
   * Makes a chunk of groups that follow each other in a segment.
   *
   * @param segment the header of the segment
   * @param groups what was read
   * @param name for messages
   * @return the chunk
   * @throws JournalCorruptException if a byte of them is wrong
   */
  public static JournalChunk of(SegmentHeader segment, SegmentWalk.Groups groups, Path name) {
    byte[] bytes = groups.bytes().array();
    SegmentHeader header =
        new SegmentHeader(
            groups.firstPosition(),
            segment.journalId(),
            segment.salt(),
            segment.lowWaterMark(),
            bytes.length,
            segment.wallMillis(),
            segment.isMarked());
    System.arraycopy(header.encode(), 0, bytes, 0, SegmentHeader.LENGTH_BYTES);
    return of(bytes, name);
  }

  /** {@return all of it; not to be changed} */
  public byte[] bytes() {
    return bytes;
  }

  /** {@return the id of the journal} */
  public long journalId() {
    return header.journalId();
  }

  /** {@return the salt of the segment that has its groups} */
  public long salt() {
    return header.salt();
  }

  /** {@return when that segment was begun, milliseconds since 1970} */
  public long begunMillis() {
    return header.wallMillis();
  }

  /** {@return the position of the first record} */
  public long firstPosition() {
    return header.firstPosition();
  }

  /** {@return the position of the last record; one before the first if there is none} */
  public long lastPosition() {
    return lastPosition;
  }

  /**
   * {@return a record; null if it is not in this chunk}
   *
   * @param position its position
   */
  public @Nullable JournalRecord record(long position) {
    AtomicReference<@Nullable JournalRecord> found = new AtomicReference<>();
    forEach(
        (record, at, offset) -> {
          if (at == position) {
            found.set(record(record, at, offset));
          }
          return at < position;
        });
    return found.get();
  }

  /**
   * {@return whether a record after a position was purged before this was read}
   *
   * @param position the position
   */
  public boolean hasPurgedAfter(long position) {
    boolean[] found = {false};
    forEach(
        (record, at, _) -> {
          found[0] |= at > position && VoidRecord.isPurged(record);
          return !found[0];
        });
    return found[0];
  }

  /**
   * Returns the last position before the first record that is later than a time.
   *
   * @param wallMillis the time, milliseconds since 1970
   * @param nowMillis records later than this were stamped by a clock that was ahead, and are
   *     skipped
   * @return the position; that of the last record if none is later
   */
  public long positionAt(long wallMillis, long nowMillis) {
    long[] found = {lastPosition};
    forEach(
        (record, position, _) -> {
          boolean isLater = record.wallMillis() > wallMillis && record.wallMillis() <= nowMillis;
          found[0] = isLater ? position - 1 : found[0];
          return !isLater;
        });
    return found[0];
  }

  /** What to do with a record. */
  @FunctionalInterface
  public interface Visitor {

    /**
     * Receives a record.
     *
     * @param header the header of the record
     * @param position its position
     * @param offset of the record in {@link #bytes}
     * @return whether to go on
     */
    boolean visit(RecordHeader header, long position, int offset);
  }

  /**
   * Passes all records, in order, to a visitor.
   *
   * @param visitor receives them
   */
  public void forEach(Visitor visitor) {
    int offset = SegmentHeader.LENGTH_BYTES;
    while (offset < bytes.length) {
      GroupHeader group = checked(GroupHeader.decode(bytes, offset));
      int at = offset + GroupHeader.LENGTH_BYTES;
      for (int i = 0; i < group.recordCount(); i++) {
        RecordHeader record = checked(RecordHeader.decode(bytes, at));
        if (!visitor.visit(record, group.firstPosition() + i, at)) {
          return;
        }
        at += (int) record.recordBytes();
      }
      offset += (int) group.groupBytes();
    }
  }

  /** Everything was checked when the chunk was made. */
  private static <T> T checked(@Nullable T header) {
    if (header == null) {
      throw new IllegalStateException("The bytes of a chunk were changed");
    }
    return header;
  }

  /**
   * {@return a record that a visitor has received}
   *
   * @param record its header
   * @param position its position
   * @param offset of the record in {@link #bytes}
   */
  public JournalRecord record(RecordHeader record, long position, int offset) {
    int namespaceAt = offset + RecordHeader.LENGTH_BYTES;
    return new JournalRecord(
        position,
        record.wallMillis(),
        record.kind(),
        record.viewId(),
        record.keyWith(bytes, namespaceAt),
        record.link(),
        ByteBuffer.wrap(bytes, namespaceAt + record.namespaceBytes(), record.payloadBytes())
            .slice()
            .asReadOnlyBuffer());
  }
}
