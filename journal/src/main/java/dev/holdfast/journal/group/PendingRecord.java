package dev.holdfast.journal.group;

import dev.holdfast.journal.file.RecordHeader;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A record that is being added to a group: holds everything that can be computed before the lock
 * for positions is taken, above all the checksum of the payload.
 *
 * <p>Confined to the appending thread.
 */
public final class PendingRecord {

  /** A reader holds a record, including its header, in one array. */
  public static final int PAYLOAD_BYTES_MAX = Journal.PAYLOAD_BYTES_MAX;

  private final byte[] head;
  private final int namespaceBytes;
  private final ByteBuffer payload;
  private final CRC32C crc = new CRC32C();

  /** In the same group, directly before this one; null for none. */
  private final @Nullable PendingRecord before;

  /** Makes a record that changes no object. */
  public PendingRecord(RecordKind kind, int viewId, ObjectKey key, ByteBuffer payload) {
    this(kind, viewId, key, null, payload, null);
  }

  /**
   * @param link null exactly for a record that changes no object
   * @param before a record that is appended directly before this one, in the same group
   */
  private PendingRecord(
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload,
      @Nullable PendingRecord before) {
    if (payload.remaining() > PAYLOAD_BYTES_MAX) {
      throw new IllegalArgumentException(
          "A record has at most "
              + PAYLOAD_BYTES_MAX
              + " bytes of payload, got "
              + payload.remaining());
    }
    this.payload = payload.duplicate();
    this.before = before;
    this.head = RecordHeader.head(kind, viewId, key, link, payload.remaining());
    this.namespaceBytes = head.length - RecordHeader.LENGTH_BYTES;
    crc.update(payload.duplicate());
  }

  /**
   * {@return a record with the events of its turn directly before it}
   *
   * @param link null exactly for a record that changes no object
   * @param events null for none
   * @throws IllegalArgumentException if the arguments cannot form records
   */
  public static PendingRecord of(
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload,
      @Nullable ByteBuffer events) {
    if (events == null) {
      return new PendingRecord(kind, viewId, key, link, payload, null);
    }
    if (events.remaining() > Journal.EVENTS_BYTES_MAX) {
      throw new IllegalArgumentException(
          "Events of one turn have at most "
              + Journal.EVENTS_BYTES_MAX
              + " bytes, got "
              + events.remaining());
    }
    return new PendingRecord(
        kind,
        viewId,
        key,
        link,
        payload,
        new PendingRecord(RecordKind.CHECKPOINT, Journal.EVENTS_VIEW_ID, key, events));
  }

  /** {@return length of the record in the journal, padding included} */
  public long recordBytes() {
    return RecordHeader.recordBytes(namespaceBytes, payload.remaining());
  }

  /** {@return length of the record and of the one before it that stays with it} */
  public long allBytes() {
    return recordBytes() + bytesBefore();
  }

  /** {@return length of the record that stays with this one; 0 for none} */
  long bytesBefore() {
    return before == null ? 0 : before.recordBytes();
  }

  /** {@return the record that stays with this one, directly before it; null for none} */
  @Nullable PendingRecord before() {
    return before;
  }

  /** Sets the time. Called once: the time is the last input of the checksum. */
  void stamp(long wallMillis) {
    if (before != null) {
      before.stamp(wallMillis);
    }
    RecordHeader.stamp(head, crc, wallMillis);
  }

  /** {@return header and namespace, complete after {@link #stamp}} */
  byte[] head() {
    return head;
  }

  /** {@return the payload, from position to limit} */
  ByteBuffer payload() {
    return payload;
  }
}
