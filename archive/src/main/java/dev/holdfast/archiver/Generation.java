package dev.holdfast.archiver;

import dev.holdfast.journal.ShardEpoch;
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
 * @param epoch the ownership of a shard whose node archives; {@link ShardEpoch#NONE} if a data
 *     directory has the journal alone
 * @param host where the runtime runs, for people
 */
record Generation(
    long number,
    long journalId,
    long owner,
    long openedMillis,
    Origin origin,
    long firstPosition,
    ShardEpoch epoch,
    String host) {

  private static final long MAGIC = 0x484641524347454EL; // HFARCGEN

  /** Without a gap before it. */
  private static final int VERSION = 1;

  /** With a gap before it: the fixed part also has the first position. */
  private static final int GAP_VERSION = 2;

  /** Of a shard: the fixed part also has the first position and the epoch. */
  private static final int SHARD_VERSION = 3;

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

  private int version() {
    return !epoch.isNone() ? SHARD_VERSION : hasGap() ? GAP_VERSION : VERSION;
  }

  private static int fixedBytes(int version) {
    return switch (version) {
      case SHARD_VERSION -> FIXED_BYTES + 3 * Long.BYTES;
      case GAP_VERSION -> FIXED_BYTES + Long.BYTES;
      default -> FIXED_BYTES;
    };
  }

  /** {@return whether records between the origin and the first record are not archived} */
  boolean hasGap() {
    return firstPosition > origin.position() + 1;
  }

  byte[] encode() {
    byte[] name = host.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(name.length, HOST_BYTES_MAX);
    int version = version();
    ByteBuffer bytes = ByteBuffer.allocate(fixedBytes(version) + length);
    bytes.putLong(MAGIC).putInt(version).putInt(0);
    bytes.putLong(number).putLong(journalId).putLong(owner).putLong(openedMillis);
    bytes.putLong(origin.generation()).putLong(origin.position());
    if (version != VERSION) {
      bytes.putLong(firstPosition);
    }
    if (version == SHARD_VERSION) {
      bytes.putLong(epoch.lineage()).putLong(epoch.epoch());
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
    if (version < VERSION || version > SHARD_VERSION) {
      throw new DamagedEntryException(
          name, "The entry was written by a newer version of Holdfast; use that one.", null);
    }
    bytes.position(CHECKED_FROM);
    long number = bytes.getLong();
    long journalId = bytes.getLong();
    long owner = bytes.getLong();
    long openedMillis = bytes.getLong();
    Origin origin = new Origin(bytes.getLong(), bytes.getLong());
    if (content.length < fixedBytes(version)) {
      throw damaged(name);
    }
    long first = version == VERSION ? origin.position() + 1 : bytes.getLong();
    ShardEpoch epoch =
        version == SHARD_VERSION
            ? new ShardEpoch(bytes.getLong(), bytes.getLong())
            : ShardEpoch.NONE;
    String host = StandardCharsets.UTF_8.decode(bytes).toString();
    return new Generation(number, journalId, owner, openedMillis, origin, first, epoch, host);
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
