package dev.holdfast.backend.sqlite.file;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import java.nio.ByteBuffer;

/**
 * Binds the catalog to the journal: a record that the journal keeps until the catalog is saved with
 * a later one. A catalog that has none of the marks in the journal does not belong to that journal.
 *
 * @param position the position of the record
 * @param previous the mark of the saved catalog when the record was appended; 0 if it had none
 * @param token differs from the token of another journal's mark at the same position
 */
public record Mark(long position, long previous, long token) {

  /** The key of its record; it belongs to no object. */
  public static final ObjectKey KEY =
      new ObjectKey("", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  private static final int VERSION = 1;
  private static final int BYTES = 24;

  /**
   * {@return whether a record is a mark}
   *
   * @param record of the view of the catalog, and a checkpoint
   */
  public static boolean isMark(JournalRecord record) {
    return record.key().equals(KEY);
  }

  /** {@return the payload of the record} */
  public ByteBuffer encode() {
    ByteBuffer payload = ByteBuffer.allocate(BYTES);
    return payload.putLong(previous).putInt(VERSION << 24).putInt(0).putLong(token).flip();
  }

  /**
   * Reads a mark.
   *
   * @param record the record
   * @return the mark
   * @throws IllegalArgumentException if it is malformed
   */
  public static Mark decode(JournalRecord record) {
    ByteBuffer bytes = record.payload().slice();
    if (bytes.remaining() != BYTES
        || bytes.getInt(Long.BYTES) != VERSION << 24
        || bytes.getInt(Long.BYTES + Integer.BYTES) != 0) {
      throw new IllegalArgumentException("not a mark of version " + VERSION);
    }
    return new Mark(record.position(), bytes.getLong(0), bytes.getLong(2 * Long.BYTES));
  }
}
