package dev.holdfast.journal.file;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.JournalRecord.ChainLink;
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
 * @param parts of its link; 0 if it changes no object
 * @param previous of its link; 0 if it changes no object
 */
public record RecordHeader(
    int payloadBytes,
    int checksum,
    long wallMillis,
    RecordKind kind,
    int viewId,
    int namespaceBytes,
    ObjectId id,
    int parts,
    long previous) {

  public static final int LENGTH_BYTES = 64;

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

  /**
   * {@return a header and the namespace after it, without the time and the checksum}
   *
   * @param link null exactly for a record that changes no object
   * @param payloadBytes length of the payload
   * @throws IllegalArgumentException if the arguments cannot form a record
   */
  public static byte[] head(
      RecordKind kind, int viewId, ObjectKey key, @Nullable ChainLink link, int payloadBytes) {
    if (kind.isChained() != (link != null)) {
      throw new IllegalArgumentException(
          "A record of kind " + kind + " has " + (link == null ? "a" : "no") + " link.");
    }
    if (viewId < 1 || viewId > 255) {
      throw new IllegalArgumentException("A view id is 1 to 255, got " + viewId);
    }
    byte[] namespace = key.namespace().getBytes(StandardCharsets.UTF_8);
    if (namespace.length > NAMESPACE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "A namespace has at most "
              + NAMESPACE_BYTES_MAX
              + " bytes in UTF-8, got "
              + namespace.length);
    }
    byte[] head = new byte[LENGTH_BYTES + namespace.length];
    ByteBuffer bytes = ByteBuffer.wrap(head);
    bytes.putInt(payloadBytes).putInt(0).putLong(0);
    bytes.put(codeOf(kind)).put((byte) viewId).putShort((short) namespace.length);
    bytes.putInt(link == null ? 0 : link.parts()).put(key.id().toBytes());
    bytes.putLong(link == null ? 0 : link.previous()).put(namespace);
    return head;
  }

  /**
   * Completes a {@link #head} with the time and the checksum.
   *
   * @param head is changed
   * @param payload the checksum of the payload; becomes the checksum of the record
   * @param wallMillis the time
   */
  public static void stamp(byte[] head, CRC32C payload, long wallMillis) {
    ByteBuffer bytes = ByteBuffer.wrap(head).putLong(8, wallMillis);
    updateChecksum(payload, head, 0, head.length - LENGTH_BYTES);
    bytes.putInt(4, (int) payload.getValue());
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
    int parts = bytes.getInt();
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    bytes.get(id);
    long previous = bytes.getLong();
    if (payloadBytes < 0 || kind == null || viewId == 0 || !isLink(kind, previous, parts)) {
      return null;
    }
    return new RecordHeader(
        payloadBytes,
        checksum,
        wallMillis,
        kind,
        viewId,
        namespaceBytes,
        ObjectId.of(id, null),
        parts,
        previous);
  }

  private static boolean isLink(RecordKind kind, long previous, int parts) {
    return kind.isChained() ? previous >= 0 && parts >= 0 : previous == 0 && parts == 0;
  }

  /** {@return its place among the records of the object; null if it changes no object} */
  public @Nullable ChainLink link() {
    return linkOf(kind, previous, parts);
  }

  static @Nullable ChainLink linkOf(RecordKind kind, long previous, int parts) {
    return !kind.isChained()
        ? null
        : parts == 0 ? ChainLink.after(previous) : new ChainLink(previous, parts);
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
      case NOTE -> 6;
    };
  }

  static @Nullable RecordKind kindOf(byte code) {
    return switch (code) {
      case 1 -> RecordKind.BATCH;
      case 2 -> RecordKind.CHECKPOINT;
      case 3 -> RecordKind.RESTORE;
      case 4 -> RecordKind.BATCH_WITHOUT_UNDO;
      case 5 -> RecordKind.UNDO_PART;
      case 6 -> RecordKind.NOTE;
      default -> null;
    };
  }
}
