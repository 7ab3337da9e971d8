package dev.holdfast.backend.sqlite.file;

import dev.holdfast.spi.JournalRecord;
import java.nio.ByteBuffer;

/**
 * The expected file of the catalog after its log was copied into it. The record is durable in the
 * journal before the copy begins, and is kept until a later state replaces it.
 *
 * @param pageBytes the size of its pages
 * @param pages how many it has
 * @param checksum of the checksums of all pages, see {@link PageSums}
 * @param frames how many frames of the log were copied; 0 if the file was not made by a copy
 */
public record CatalogState(int pageBytes, int pages, int checksum, int frames) {

  private static final int VERSION = 2;
  private static final int VERSION_OFFSET = 8;
  private static final int BYTES = 24;

  /** {@return the length of the file} */
  public long fileBytes() {
    return (long) pages * pageBytes;
  }

  /**
   * {@return whether a record with the key of marks is a state, and not a mark}
   *
   * @param record the record
   */
  static boolean isState(JournalRecord record) {
    ByteBuffer payload = record.payload();
    return payload.remaining() == BYTES
        && payload.get(payload.position() + VERSION_OFFSET) == VERSION;
  }

  /** {@return the payload of the record} */
  public ByteBuffer encode() {
    ByteBuffer payload = ByteBuffer.allocate(BYTES);
    payload.putLong(0).put((byte) VERSION);
    payload.put((byte) Integer.numberOfTrailingZeros(pageBytes)).putShort((short) 0);
    return payload.putInt(pages).putInt(checksum).putInt(frames).flip();
  }

  /**
   * Reads a state.
   *
   * @param record the record
   * @return the state
   * @throws IllegalArgumentException if it is malformed
   */
  public static CatalogState decode(JournalRecord record) {
    ByteBuffer bytes = record.payload().slice();
    if (bytes.remaining() != BYTES
        || bytes.getLong() != 0
        || bytes.get() != VERSION
        || bytes.get(VERSION_OFFSET + 1) < 9
        || bytes.get(VERSION_OFFSET + 1) > 16) {
      throw new IllegalArgumentException("not a state of the catalog of version " + VERSION);
    }
    int pageBytes = 1 << bytes.get();
    bytes.getShort();
    return new CatalogState(pageBytes, bytes.getInt(), bytes.getInt(), bytes.getInt());
  }
}
