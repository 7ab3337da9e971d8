package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.spi.Journal;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Writes the payload of a batch record. Reused, so that a commit does not allocate; confined to one
 * thread at a time.
 */
public final class BatchWriter {

  private static final int INITIAL_BYTES = 16 * 1_024;

  /** A buffer that a batch has grown beyond this is not kept. */
  private static final int KEPT_BYTES_MAX = 1_024 * 1_024;

  private static final int FLAGS_OFFSET = 2;
  private static final int ENTRY_COUNT_OFFSET = 12;

  private final PageRanges ranges = new PageRanges();
  private byte[] buffer = new byte[INITIAL_BYTES];
  private ByteBuffer view = ByteBuffer.wrap(buffer);
  private int length;
  private int pageBytes;
  private int entryCount;
  private boolean keepsUndo = true;

  /** Sets whether the next batches get an undo. */
  public void keepUndo(boolean keeps) {
    keepsUndo = keeps;
  }

  /** Begins a batch; discards the previous one. */
  public void begin(int pageBytes, int pagesBefore, int pagesAfter) {
    assert Integer.bitCount(pageBytes) == 1 && pagesBefore >= 0 && pagesAfter >= 0;
    if (buffer.length > KEPT_BYTES_MAX) {
      replaceBuffer(new byte[INITIAL_BYTES]);
    }
    this.pageBytes = pageBytes;
    entryCount = 0;
    view.put(0, (byte) BatchFormat.VERSION)
        .put(1, (byte) Integer.numberOfTrailingZeros(pageBytes))
        .putShort(2, (short) 0)
        .putInt(4, pagesBefore)
        .putInt(8, pagesAfter);
    length = BatchFormat.HEADER_BYTES;
  }

  /** Sets the catalog change; call it before any page. */
  public void catalogChange(byte[] change) {
    assert length == BatchFormat.HEADER_BYTES && entryCount == 0;
    ensureRoom(Integer.BYTES + change.length);
    view.put(FLAGS_OFFSET, (byte) BatchFormat.HAS_CATALOG_CHANGE).putInt(length, change.length);
    view.put(length + Integer.BYTES, change);
    length += Integer.BYTES + change.length;
  }

  /** Adds a page whose whole image is in an earlier batch since the base. */
  public void changed(int page, Image before, Image after) {
    ranges.findChanges(before.bytes(), before.offset(), after.bytes(), after.offset(), pageBytes);
    if (ranges.count() == 0) {
      return;
    }
    if (!keepsUndo) {
      beginEntry(page, BatchFormat.REDO);
      putRanges();
      putBytes(after);
      return;
    }
    beginEntry(page, BatchFormat.REDO | BatchFormat.UNDO | BatchFormat.UNDO_HAS_RANGES_OF_REDO);
    putRanges();
    putBytes(after);
    putBytes(before);
  }

  /** Adds a page that existed before and is written for the first time since the base. */
  public void firstChanged(int page, Image before, Image after) {
    if (!keepsUndo) {
      added(page, after);
      return;
    }
    beginEntry(page, BatchFormat.REDO | BatchFormat.REDO_FROM_ZEROS | BatchFormat.UNDO);
    putWhole(after);
    ranges.findChanges(after.bytes(), after.offset(), before.bytes(), before.offset(), pageBytes);
    putRanges();
    putBytes(before);
  }

  /** Adds a page that did not exist before. */
  public void added(int page, Image after) {
    beginEntry(page, BatchFormat.REDO | BatchFormat.REDO_FROM_ZEROS);
    putWhole(after);
  }

  /** Adds a page that no longer exists. */
  public void cutOff(int page, Image before) {
    if (!keepsUndo) {
      return;
    }
    beginEntry(page, BatchFormat.UNDO | BatchFormat.UNDO_FROM_ZEROS);
    putWhole(before);
  }

  /** {@return the payload, valid until the next batch begins} */
  public ByteBuffer finish() {
    view.putInt(ENTRY_COUNT_OFFSET, entryCount);
    return ByteBuffer.wrap(buffer, 0, length);
  }

  /** {@return how long the payload is so far} */
  public int lengthBytes() {
    return length;
  }

  /**
   * Finishes a batch that was begun without a catalog change.
   *
   * @param change what changes in the catalog
   * @param firstPart the position of its first part; 0 if it has none
   * @return the payload
   */
  public ByteBuffer finishLast(byte[] change, long firstPart) {
    assert view.get(FLAGS_OFFSET) == 0;
    view.putInt(ENTRY_COUNT_OFFSET, entryCount);
    boolean hasParts = firstPart > 0;
    int headBytes = Integer.BYTES + change.length + (hasParts ? Long.BYTES : 0);
    ByteBuffer payload = ByteBuffer.allocate(length + headBytes);
    payload.put(buffer, 0, BatchFormat.HEADER_BYTES);
    payload.putInt(change.length).put(change);
    if (hasParts) {
      payload.putLong(firstPart);
    }
    payload.put(buffer, BatchFormat.HEADER_BYTES, length - BatchFormat.HEADER_BYTES);
    int flags = BatchFormat.HAS_CATALOG_CHANGE | (hasParts ? BatchFormat.HAS_PARTS : 0);
    return payload.put(FLAGS_OFFSET, (byte) flags).flip();
  }

  private void putWhole(Image image) {
    ranges.findNonZero(image.bytes(), image.offset(), pageBytes);
    putRanges();
    putBytes(image);
  }

  private void beginEntry(int page, int flags) {
    assert page > 0;
    ensureRoom(BatchFormat.ENTRY_HEADER_BYTES);
    view.putInt(length, page).putInt(length + 4, flags << 24);
    length += BatchFormat.ENTRY_HEADER_BYTES;
    entryCount++;
  }

  private void putRanges() {
    ensureRoom(2 + BatchFormat.RANGE_BYTES * ranges.count());
    view.putShort(length, (short) ranges.count());
    length += 2;
    for (int range = 0; range < ranges.count(); range++) {
      view.putInt(length, ranges.offset(range) << 16 | (ranges.length(range) - 1));
      length += BatchFormat.RANGE_BYTES;
    }
  }

  private void putBytes(Image image) {
    ensureRoom(ranges.totalBytes());
    for (int range = 0; range < ranges.count(); range++) {
      int rangeBytes = ranges.length(range);
      int from = image.offset() + ranges.offset(range);
      System.arraycopy(image.bytes(), from, buffer, length, rangeBytes);
      length += rangeBytes;
    }
  }

  private void ensureRoom(int moreBytes) {
    long neededBytes = (long) length + moreBytes;
    if (neededBytes <= buffer.length) {
      return;
    }
    if (neededBytes > Journal.PAYLOAD_BYTES_MAX) {
      throw new BatchTooLargeException(Journal.PAYLOAD_BYTES_MAX);
    }
    int doubled = (int) Math.min(2L * buffer.length, Journal.PAYLOAD_BYTES_MAX);
    replaceBuffer(Arrays.copyOf(buffer, Math.max(doubled, (int) neededBytes)));
  }

  private void replaceBuffer(byte[] replacement) {
    buffer = replacement;
    view = ByteBuffer.wrap(replacement);
  }

  /** A page within an array. */
  @SuppressWarnings("ArrayRecordComponent")
  public // never compared; a location, not a value
  record Image(byte[] bytes, int offset) {}
}
