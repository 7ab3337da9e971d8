package dev.holdfast.journal.file;

import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Gathers records for {@link CopiedSegments}. Confined to one thread. */
public final class CopiedGroup {

  private static final int BUFFER_BYTES = 16 << 10;
  private static final int BUFFER_KEPT_BYTES_MAX = 1 << 20;
  private static final int CHECKSUM_OFFSET = 4;

  private byte[] bytes = new byte[BUFFER_BYTES];
  private int length = GroupHeader.LENGTH_BYTES;
  private int count;
  private final CRC32C digest = new CRC32C();

  /** {@return the length of the group in bytes} */
  public int length() {
    return length;
  }

  /** {@return how many records it has} */
  public int count() {
    return count;
  }

  /**
   * Adds a record.
   *
   * @param recordWallMillis when it was appended
   * @param kind its kind
   * @param viewId the view that wrote it
   * @param key its object
   * @param link null exactly for a record that changes no object
   * @param payload copied
   */
  public void add(
      long recordWallMillis,
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload) {
    byte[] head = RecordHeader.head(kind, viewId, key, link, payload.remaining());
    CRC32C crc = new CRC32C();
    crc.update(payload.duplicate());
    RecordHeader.stamp(head, crc, recordWallMillis);
    int recordBytes =
        Math.toIntExact(
            RecordHeader.recordBytes(head.length - RecordHeader.LENGTH_BYTES, payload.remaining()));
    makeRoom(recordBytes);
    System.arraycopy(head, 0, bytes, length, head.length);
    payload.duplicate().get(bytes, length + head.length, payload.remaining());
    int end = length + head.length + payload.remaining();
    Arrays.fill(bytes, end, length + recordBytes, (byte) 0);
    digest.update(bytes, length + CHECKSUM_OFFSET, 4);
    length += recordBytes;
    count++;
  }

  private void makeRoom(int recordBytes) {
    int needed = Math.addExact(length, recordBytes);
    if (needed > bytes.length) {
      int doubled = (int) Math.min(2L * bytes.length, BUFFER_KEPT_BYTES_MAX);
      bytes = Arrays.copyOf(bytes, Math.max(needed, doubled));
    }
  }

  /**
   * Writes the records, if there are any, and begins again.
   *
   * @param segments the journal
   * @param begunMillis the time of a segment that begins with them
   * @throws IOException if they cannot be written
   */
  public void writeTo(CopiedSegments segments, long begunMillis) throws IOException {
    if (count > 0) {
      segments.write(bytes, length, count, (int) digest.getValue(), begunMillis);
    }
    length = GroupHeader.LENGTH_BYTES;
    count = 0;
    digest.reset();
    if (bytes.length > BUFFER_KEPT_BYTES_MAX) {
      bytes = new byte[BUFFER_BYTES];
    }
  }
}
