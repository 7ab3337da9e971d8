package dev.holdfast.archiver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.zip.CRC32C;

/**
 * One opening of a data directory by a runtime that archives; {@code docs/formats/archive.md} has
 * the layout. Immutable.
 *
 * @param number 1 for the first of an archive
 * @param journalId the id of the journal
 * @param owner a random number of the runtime
 * @param openedMillis when the runtime was opened, milliseconds since 1970
 * @param origin what the records of this generation follow
 * @param host where the runtime runs, for people
 */
record Generation(
    long number, long journalId, long owner, long openedMillis, Origin origin, String host) {

  private static final long MAGIC = 0x484641524347454EL; // HFARCGEN
  private static final int VERSION = 1;
  private static final int CHECKED_FROM = 16;
  private static final int FIXED_BYTES = 64;
  private static final int HOST_BYTES_MAX = 1024;

  /**
   * The point of another generation at which one begins.
   *
   * @param generation its number; 0 for none: the generation begins with the first record of the
   *     journal
   * @param position its last record that belongs to the history of this one
   */
  record Origin(long generation, long position) {

    static final Origin NONE = new Origin(0, 0);
  }

  byte[] encode() {
    byte[] name = host.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(name.length, HOST_BYTES_MAX);
    ByteBuffer bytes = ByteBuffer.allocate(FIXED_BYTES + length);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(0);
    bytes.putLong(number).putLong(journalId).putLong(owner).putLong(openedMillis);
    bytes.putLong(origin.generation()).putLong(origin.position()).put(name, 0, length);
    bytes.putInt(CHECKED_FROM - 4, checksum(bytes.array()));
    return bytes.array();
  }

  /**
   * Reads a generation.
   *
   * @param name for messages
   * @throws IOException if it is damaged or of a newer version
   */
  static Generation decode(byte[] content, String name) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    if (content.length < FIXED_BYTES
        || bytes.getLong() != MAGIC
        || bytes.getInt(CHECKED_FROM - 4) != checksum(content)) {
      throw new DamagedEntryException(name, "The entry of the generation is damaged.", null);
    }
    if (bytes.getInt() != VERSION) {
      throw new DamagedEntryException(
          name, "The entry was written by a newer version of Holdfast; use that one.", null);
    }
    bytes.position(CHECKED_FROM);
    return new Generation(
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        new Origin(bytes.getLong(), bytes.getLong()),
        StandardCharsets.UTF_8.decode(bytes).toString());
  }

  private static int checksum(byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(content, 0, CHECKED_FROM - 4);
    crc.update(content, CHECKED_FROM, content.length - CHECKED_FROM);
    return (int) crc.getValue();
  }

  /** {@return the owner, for people} */
  String describe() {
    return "generation "
        + number
        + " of the runtime on "
        + host
        + ", opened "
        + Instant.ofEpochMilli(openedMillis);
  }
}
