package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the payload of a batch record entry by entry: {@code while (batch.next()) ...}. Checks all
 * that it uses, so that bytes of a newer format or of another view cannot damage a database file.
 * Confined to one thread.
 */
public final class BatchReader {

  private final ByteBuffer payload;
  private final int pageBytes;
  private final int pagesBefore;
  private final int pagesAfter;
  private final int entryCount;
  private final @Nullable CatalogChange catalogChange;
  private final long firstPart;

  // Of the current entry.
  private int entriesRead;
  private int page;
  private int flags;
  private Section redo = Section.NONE;
  private Section undo = Section.NONE;

  /**
   * Reads the header.
   *
   * @param payload the payload, from its position to its limit; not changed
   * @throws IllegalArgumentException if this is not a batch of a format known here
   */
  public BatchReader(ByteBuffer payload) {
    this.payload = payload.slice();
    require(this.payload.limit() >= BatchFormat.HEADER_BYTES, "too short for a header");
    int version = this.payload.get();
    require(version == BatchFormat.VERSION, "unknown version " + version);
    int pageBits = this.payload.get();
    require(pageBits >= 9 && pageBits <= 16, "page size of 2^" + pageBits + " bytes");
    pageBytes = 1 << pageBits;
    int batchFlags = this.payload.get();
    require(
        (batchFlags & ~(BatchFormat.HAS_CATALOG_CHANGE | BatchFormat.HAS_PARTS)) == 0
            && this.payload.get() == 0,
        "unknown bytes in the header");
    pagesBefore = this.payload.getInt();
    pagesAfter = this.payload.getInt();
    require(pagesBefore >= 0 && pagesAfter >= 1, "sizes " + pagesBefore + ", " + pagesAfter);
    entryCount = this.payload.getInt();
    catalogChange = (batchFlags & BatchFormat.HAS_CATALOG_CHANGE) == 0 ? null : readCatalogChange();
    firstPart = (batchFlags & BatchFormat.HAS_PARTS) == 0 ? 0 : readFirstPart();
  }

  private CatalogChange readCatalogChange() {
    requireRemaining(Integer.BYTES);
    int length = payload.getInt();
    require(length >= 0, "catalog change of " + length + " bytes");
    requireRemaining(length);
    ByteBuffer bytes = payload.slice(payload.position(), length);
    payload.position(payload.position() + length);
    try {
      return CatalogChange.decode(bytes);
    } catch (IllegalArgumentException e) {
      throw malformed(String.valueOf(e.getMessage()));
    }
  }

  private long readFirstPart() {
    requireRemaining(Long.BYTES);
    long position = payload.getLong();
    require(position > 0, "parts from position " + position + " on");
    return position;
  }

  /**
   * {@return the position from which the object's records of kind UNDO_PART belong to the batch; 0
   * if it has no parts}
   */
  public long firstPart() {
    return firstPart;
  }

  /** {@return what the batch changes in the catalog; null for nothing} */
  public @Nullable CatalogChange catalogChange() {
    return catalogChange;
  }

  public int pageBytes() {
    return pageBytes;
  }

  public int pagesBefore() {
    return pagesBefore;
  }

  public int pagesAfter() {
    return pagesAfter;
  }

  /** {@return whether it changes any page; if not, its sizes have no meaning} */
  public boolean hasPages() {
    return entryCount > 0 || firstPart > 0;
  }

  /**
   * {@return whether there is a next entry; moves to it}
   *
   * @throws IllegalArgumentException if the entry is malformed
   */
  public boolean next() {
    if (entriesRead == entryCount) {
      require(!payload.hasRemaining(), "bytes after the last entry");
      return false;
    }
    requireRemaining(BatchFormat.ENTRY_HEADER_BYTES);
    page = payload.getInt();
    int flagsAndZeros = payload.getInt();
    flags = flagsAndZeros >>> 24;
    require(page >= 1, "page " + page);
    require((flagsAndZeros & 0xFFFFFF) == 0 && flags <= BatchFormat.ALL_FLAGS, "unknown flags");
    redo = has(BatchFormat.REDO) ? readSection() : Section.NONE;
    undo = has(BatchFormat.UNDO) ? readUndo() : Section.NONE;
    entriesRead++;
    return true;
  }

  public int page() {
    return page;
  }

  public boolean hasRedo() {
    return has(BatchFormat.REDO);
  }

  /** {@return whether redo needs no earlier image of the page} */
  public boolean redoIsWhole() {
    return has(BatchFormat.REDO_FROM_ZEROS);
  }

  public boolean hasUndo() {
    return has(BatchFormat.UNDO);
  }

  /** {@return whether undo needs no later image of the page} */
  public boolean undoIsWhole() {
    return has(BatchFormat.UNDO_FROM_ZEROS);
  }

  /** Changes a page from its state before the batch to its state after it. */
  public void redo(byte[] image) {
    apply(redo, redoIsWhole(), image);
  }

  /** Changes a page from its state after the batch to its state before it. */
  public void undo(byte[] image) {
    apply(undo, undoIsWhole(), image);
  }

  private void apply(Section section, boolean whole, byte[] image) {
    if (whole) {
      Arrays.fill(image, 0, pageBytes, (byte) 0);
    }
    int from = section.bytesOffset();
    for (int range = 0; range < section.rangeCount(); range++) {
      int at = section.rangesOffset() + BatchFormat.RANGE_BYTES * range;
      int offset = payload.getShort(at) & 0xFFFF;
      int length = (payload.getShort(at + 2) & 0xFFFF) + 1;
      payload.get(from, image, offset, length);
      from += length;
    }
  }

  private Section readSection() {
    requireRemaining(2);
    int count = payload.getShort() & 0xFFFF;
    int rangesOffset = payload.position();
    requireRemaining(BatchFormat.RANGE_BYTES * count);
    int totalBytes = 0;
    int end = 0;
    for (int range = 0; range < count; range++) {
      int offset = payload.getShort() & 0xFFFF;
      int length = (payload.getShort() & 0xFFFF) + 1;
      require(offset >= end && offset + length <= pageBytes, "range outside of its page");
      end = offset + length;
      totalBytes += length;
    }
    return takeBytes(new Section(count, rangesOffset, payload.position(), totalBytes));
  }

  private Section readUndo() {
    if (!has(BatchFormat.UNDO_HAS_RANGES_OF_REDO)) {
      return readSection();
    }
    require(has(BatchFormat.REDO), "undo with the ranges of a missing redo");
    return takeBytes(
        new Section(redo.rangeCount(), redo.rangesOffset(), payload.position(), redo.totalBytes()));
  }

  private Section takeBytes(Section section) {
    requireRemaining(section.totalBytes());
    payload.position(payload.position() + section.totalBytes());
    return section;
  }

  private boolean has(int flag) {
    return (flags & flag) != 0;
  }

  private void requireRemaining(int bytes) {
    require(payload.remaining() >= bytes, "ends within an entry");
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw malformed(otherwise);
    }
  }

  private IllegalArgumentException malformed(String how) {
    return new IllegalArgumentException(
        "not a SQLite batch of version "
            + BatchFormat.VERSION
            + ": "
            + how
            + ", at byte "
            + payload.position()
            + " of "
            + payload.limit());
  }

  /** Where a section is in the payload. */
  private record Section(int rangeCount, int rangesOffset, int bytesOffset, int totalBytes) {
    static final Section NONE = new Section(0, 0, 0, 0);
  }
}
