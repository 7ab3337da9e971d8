package dev.holdfast.journal.file;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * What is left of a record that was purged: its length, its position and its time. {@code
 * docs/formats/journal.md} has the layout. Stateless.
 */
public final class VoidRecord {

  /** The object of records that are about none. */
  public static final ObjectKey NO_OBJECT =
      new ObjectKey("", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  static final int CHECKSUM_OFFSET = 4;

  private static final int WALL_OFFSET = 8;
  private static final int KIND_OFFSET = 16;
  private static final int VIEW_OFFSET = 17;
  private static final int CHUNK_BYTES = 1 << 20;

  private VoidRecord() {}

  /** {@return the header of a void record of the same length and time; the rest of it is zeros} */
  static byte[] headerOf(RecordHeader record) {
    int payloadBytes = Math.addExact(record.namespaceBytes(), record.payloadBytes());
    byte[] head = new byte[RecordHeader.LENGTH_BYTES];
    ByteBuffer bytes = ByteBuffer.wrap(head);
    bytes.putInt(0, payloadBytes).putLong(WALL_OFFSET, record.wallMillis());
    head[KIND_OFFSET] = RecordHeader.codeOf(RecordKind.CHECKPOINT);
    head[VIEW_OFFSET] = (byte) RecordKind.VOID_VIEW;
    CRC32C crc = new CRC32C();
    byte[] zeros = new byte[Math.min(payloadBytes, CHUNK_BYTES)];
    for (int done = 0; done < payloadBytes; done += zeros.length) {
      crc.update(zeros, 0, Math.min(zeros.length, payloadBytes - done));
    }
    RecordHeader.updateChecksum(crc, head, 0, 0);
    bytes.putInt(CHECKSUM_OFFSET, (int) crc.getValue());
    return head;
  }

  /**
   * {@return whether a record was purged} A record of no view that a journal writes itself has no
   * payload.
   */
  public static boolean isPurged(RecordHeader record) {
    return record.namespaceBytes() == 0
        && isPurged(record.kind(), record.viewId(), record.payloadBytes());
  }

  /** {@return the same for a record about {@link #NO_OBJECT}} */
  static boolean isPurged(RecordKind kind, int viewId, int payloadBytes) {
    return kind == RecordKind.CHECKPOINT && viewId == RecordKind.VOID_VIEW && payloadBytes > 0;
  }
}
