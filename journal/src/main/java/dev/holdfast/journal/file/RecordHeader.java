package dev.holdfast.journal.file;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The header of a record, without its namespace; {@code docs/formats/journal.md} has the layout.
 * Immutable.
 *
 * @param payloadBytes length of the payload
 * @param checksum of payload, header and namespace
 * @param wallMillis when it was appended
 * @param kind the kind of the record
 * @param viewId the view that wrote it
 * @param namespaceBytes length of the namespace in UTF-8
 * @param id the object
 */
public record RecordHeader(
    int payloadBytes,
    int checksum,
    long wallMillis,
    RecordKind kind,
    int viewId,
    int namespaceBytes,
    ObjectId id) {

  public static final int LENGTH_BYTES = 56;

  static final int ID_OFFSET = 24;

  public static final int NAMESPACE_BYTES_MAX = 0xFFFF;

  /** First byte that the checksum covers: length and checksum itself come before it. */
  private static final int CHECKED_OFFSET = 8;

  /** {@return the length of a record, padding included} */
  public static long recordBytes(int namespaceBytes, int payloadBytes) {
    return (LENGTH_BYTES + (long) namespaceBytes + payloadBytes + 7) & ~7L;
  }

  public long recordBytes() {
    return recordBytes(namespaceBytes, payloadBytes);
  }

  /** {@return the header at an offset of an array; null if it is not valid} */
  public static @Nullable RecordHeader decode(byte[] source, int offset) {
    ByteBuffer bytes = ByteBuffer.wrap(source, offset, LENGTH_BYTES);
    int payloadBytes = bytes.getInt();
    int checksum = bytes.getInt();
    long wallMillis = bytes.getLong();
    RecordKind kind = kindOf(bytes.get());
    int viewId = Byte.toUnsignedInt(bytes.get());
    int namespaceBytes = Short.toUnsignedInt(bytes.getShort());
    if (payloadBytes < 0 || kind == null || viewId == 0 || bytes.getInt() != 0) {
      return null;
    }
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    bytes.get(id);
    return new RecordHeader(
        payloadBytes, checksum, wallMillis, kind, viewId, namespaceBytes, ObjectId.of(id, null));
  }

  /**
   * Updates a checksum with the parts after the payload: header and namespace, as stored in an
   * array.
   */
  public static void updateChecksum(CRC32C crc, byte[] source, int offset, int namespaceBytes) {
    crc.update(source, offset + CHECKED_OFFSET, LENGTH_BYTES - CHECKED_OFFSET + namespaceBytes);
  }

  public ObjectKey keyWith(byte[] source, int namespaceOffset) {
    return new ObjectKey(
        new String(source, namespaceOffset, namespaceBytes, StandardCharsets.UTF_8), id);
  }

  public static byte codeOf(RecordKind kind) {
    return switch (kind) {
      case BATCH -> 1;
      case CHECKPOINT -> 2;
      case RESTORE -> 3;
      case BATCH_WITHOUT_UNDO -> 4;
      case UNDO_PART -> 5;
    };
  }

  static @Nullable RecordKind kindOf(byte code) {
    return switch (code) {
      case 1 -> RecordKind.BATCH;
      case 2 -> RecordKind.CHECKPOINT;
      case 3 -> RecordKind.RESTORE;
      case 4 -> RecordKind.BATCH_WITHOUT_UNDO;
      case 5 -> RecordKind.UNDO_PART;
      default -> null;
    };
  }
}
