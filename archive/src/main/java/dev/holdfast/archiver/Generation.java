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
 * @param firstPosition its first record; more than one after the origin if records were lost to the
 *     archive
 * @param host where the runtime runs, for people
 */
record Generation(
    long number,
    long journalId,
    long owner,
    long openedMillis,
    Origin origin,
    long firstPosition,
    String host) {

  private static final long MAGIC = 0x484641524347454EL; // HFARCGEN

  /** Without a gap before it. */
  private static final int VERSION = 1;

  /** With a gap before it: the fixed part also has the first position. */
  private static final int GAP_VERSION = 2;

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

  /** {@return whether records between the origin and the first record are not archived} */
  boolean hasGap() {
    return firstPosition > origin.position() + 1;
  }

  byte[] encode() {
    byte[] name = host.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(name.length, HOST_BYTES_MAX);
    ByteBuffer bytes = ByteBuffer.allocate(FIXED_BYTES + (hasGap() ? Long.BYTES : 0) + length);
    bytes.putLong(MAGIC).putInt(hasGap() ? GAP_VERSION : VERSION).putInt(0);
    bytes.putLong(number).putLong(journalId).putLong(owner).putLong(openedMillis);
    bytes.putLong(origin.generation()).putLong(origin.position());
    if (hasGap()) {
      bytes.putLong(firstPosition);
    }
    bytes.put(name, 0, length);
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
      throw damaged(name);
    }
    int version = bytes.getInt();
    if (version != VERSION && version != GAP_VERSION) {
      throw new DamagedEntryException(
          name, "The entry was written by a newer version of Holdfast; use that one.", null);
    }
    bytes.position(CHECKED_FROM);
    long number = bytes.getLong();
    long journalId = bytes.getLong();
    long owner = bytes.getLong();
    long openedMillis = bytes.getLong();
    Origin origin = new Origin(bytes.getLong(), bytes.getLong());
    if (version == GAP_VERSION && bytes.remaining() < Long.BYTES) {
      throw damaged(name);
    }
    long first = version == GAP_VERSION ? bytes.getLong() : origin.position() + 1;
    String host = StandardCharsets.UTF_8.decode(bytes).toString();
    return new Generation(number, journalId, owner, openedMillis, origin, first, host);
  }

  private static DamagedEntryException damaged(String name) {
    return new DamagedEntryException(name, "The entry of the generation is damaged.", null);
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
