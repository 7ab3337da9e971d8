package dev.holdfast.journal.replica;

import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;

/**
 * What a view of a node has recorded about its own files while another node owned the shard: it is
 * not in the journal, which is alike on all nodes.
 *
 * @param position the last record of the round: this one counts as directly after it
 * @param kind what it says
 * @param viewId the view that wrote it
 * @param key the object it is about
 * @param payload the bytes of the view; not changed, and read-only
 */
public record LocalRecord(
    long position, RecordKind kind, int viewId, ObjectKey key, ByteBuffer payload) {

  /** {@return a record with a copy of bytes} */
  public static LocalRecord of(
      long position, RecordKind kind, int viewId, ObjectKey key, ByteBuffer payload) {
    ByteBuffer copy = ByteBuffer.allocate(payload.remaining());
    copy.put(payload.duplicate()).flip();
    return new LocalRecord(position, kind, viewId, key, copy.asReadOnlyBuffer());
  }

  /** {@return the record as a reader of the journal gets it; nobody asks for its time} */
  public JournalRecord asRecord() {
    return new JournalRecord(
        position, /* wallMillis= */ 0, kind, viewId, key, /* link= */ null, payload.slice());
  }
}
