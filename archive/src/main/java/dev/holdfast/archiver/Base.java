package dev.holdfast.archiver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A base image: the files of the views as of one position, from which a restore goes on with the
 * records after it; {@code docs/formats/archive.md} has the layout. Its entry is added last: an
 * image without one is not complete. Immutable.
 *
 * @param generation the generation to whose lineage the position belongs
 * @param journalId the id of the journal
 * @param firstPosition the first position that a journal beside these files must have
 * @param lowWaterMark the first position that the files need
 * @param position the last position that a file may have
 * @param millis a time that no record up to the position is later than, milliseconds since 1970
 * @param packs the parts of the files, in order; none if the image was given up
 */
record Base(
    long generation,
    long journalId,
    long firstPosition,
    long lowWaterMark,
    long position,
    long millis,
    List<Pack> packs) {

  private static final long MAGIC = 0x4846415242415345L; // HFARBASE
  private static final int VERSION = 1;
  private static final int CHECKED_FROM = 16;
  private static final int FIXED_BYTES = 72;
  private static final int PACK_BYTES = 8;

  /**
   * One entry with bytes of files.
   *
   * @param bytes its size
   * @param checksum its CRC-32C
   */
  record Pack(int bytes, int checksum) {}

  Base {
    packs = List.copyOf(packs);
  }

  /** {@return the entry of an image that never becomes complete} */
  static Base givenUp(long generation, long journalId, long position) {
    return new Base(generation, journalId, 0, 0, position, 0, List.of());
  }

  boolean isGivenUp() {
    return packs.isEmpty();
  }

  /** {@return the size of all packs} */
  long bytes() {
    return packs.stream().mapToLong(Pack::bytes).sum();
  }

  byte[] encode() {
    ByteBuffer bytes = ByteBuffer.allocate(FIXED_BYTES + packs.size() * PACK_BYTES);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(0);
    bytes.putLong(generation).putLong(journalId).putLong(firstPosition);
    bytes.putLong(lowWaterMark).putLong(position).putLong(millis).putLong(packs.size());
    packs.forEach(pack -> bytes.putInt(pack.bytes()).putInt(pack.checksum()));
    bytes.putInt(CHECKED_FROM - 4, checksum(bytes.array()));
    return bytes.array();
  }

  /**
   * Reads the entry of an image.
   *
   * @param name for messages
   * @throws IOException if it is damaged or of a newer version
   */
  static Base decode(byte[] content, String name) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    if (content.length < FIXED_BYTES
        || bytes.getLong() != MAGIC
        || bytes.getInt(CHECKED_FROM - 4) != checksum(content)
        || bytes.getLong(FIXED_BYTES - 8) * PACK_BYTES != content.length - FIXED_BYTES) {
      throw new DamagedEntryException(name, "The entry of the base image is damaged.", null);
    }
    if (bytes.getInt() != VERSION) {
      throw new DamagedEntryException(
          name, "The entry was written by a newer version of Holdfast; use that one.", null);
    }
    List<Pack> packs = new ArrayList<>();
    bytes.position(FIXED_BYTES);
    while (bytes.hasRemaining()) {
      packs.add(new Pack(bytes.getInt(), bytes.getInt()));
    }
    bytes.position(CHECKED_FROM);
    return new Base(
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        packs);
  }

  private static int checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, CHECKED_FROM - 4);
    crc.update(content, CHECKED_FROM, content.length - CHECKED_FROM);
    return (int) crc.getValue();
  }
}
