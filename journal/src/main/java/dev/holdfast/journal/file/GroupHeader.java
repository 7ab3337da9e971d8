package dev.holdfast.journal.file;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The header of a group, that is, of the records of one flush; {@code docs/formats/journal.md} has
 * the layout. Immutable.
 *
 * @param salt salt of the segment
 * @param firstPosition position of the first record
 * @param recordCount the number of records that follow
 * @param digest checksum of the records' checksums
 * @param bodyBytes length of the records
 * @param lowWaterMark low-water mark when the group was sealed
 */
public record GroupHeader(
    long salt, long firstPosition, int recordCount, int digest, long bodyBytes, long lowWaterMark) {

  public static final int LENGTH_BYTES = 64;

  /** The first bytes of a group. */
  public static final int MAGIC = 0x48475250; // HGRP

  public void encode(byte[] target) {
    ByteBuffer bytes = ByteBuffer.wrap(target, 0, LENGTH_BYTES);
    bytes.putInt(MAGIC).putInt(0);
    bytes.putLong(salt).putLong(firstPosition).putInt(recordCount).putInt(digest);
    bytes.putLong(bodyBytes).putLong(lowWaterMark).putLong(0).putLong(0);
    bytes.putInt(4, checksum(target, 0));
  }

  /** {@return the header at an offset of an array; null if there is none} */
  public static @Nullable GroupHeader decode(byte[] source, int offset) {
    ByteBuffer bytes = ByteBuffer.wrap(source, offset, LENGTH_BYTES);
    if (bytes.getInt() != MAGIC || bytes.getInt() != checksum(source, offset)) {
      return null;
    }
    GroupHeader header =
        new GroupHeader(
            bytes.getLong(),
            bytes.getLong(),
            bytes.getInt(),
            bytes.getInt(),
            bytes.getLong(),
            bytes.getLong());
    long first = bytes.getLong();
    long second = bytes.getLong();
    boolean plausible =
        header.recordCount >= 0
            && header.firstPosition > 0
            && header.bodyBytes >= 0
            && header.bodyBytes % 8 == 0
            && (first | second) == 0;
    return plausible ? header : null;
  }

  /** {@return the position expected after this group} */
  public long nextPosition() {
    return firstPosition + recordCount;
  }

  /** {@return length of the whole group in bytes} */
  public long groupBytes() {
    return LENGTH_BYTES + bodyBytes;
  }

  private static int checksum(byte[] source, int offset) {
    CRC32C crc = new CRC32C();
    crc.update(source, offset + 8, LENGTH_BYTES - 8);
    return (int) crc.getValue();
  }
}
