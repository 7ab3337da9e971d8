package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.backend.sqlite.file.PageSize;
import java.util.Arrays;

/**
 * The ranges in which two images of a page differ. Reused from page to page; confined to one thread
 * at a time.
 */
final class PageRanges {

  /**
   * The gap of equal bytes that is worth a new range. A range costs four bytes, an equal byte
   * within one costs a byte of redo and one of undo.
   */
  private static final int GAP_BYTES = 4;

  private static final byte[] ZEROS = new byte[PageSize.BYTES_MAX];

  private int[] offsets = new int[64];
  private int[] lengths = new int[64];
  private int count;
  private int totalBytes;

  /** {@return the number of ranges} */
  int count() {
    return count;
  }

  /** {@return the number of bytes in all ranges} */
  int totalBytes() {
    return totalBytes;
  }

  int offset(int range) {
    return offsets[range];
  }

  int length(int range) {
    return lengths[range];
  }

  /** Finds the ranges of an image that are not zero. */
  void findNonZero(byte[] image, int imageOffset, int pageBytes) {
    findChanges(ZEROS, 0, image, imageOffset, pageBytes);
  }

  /** Finds the ranges in which two images differ. */
  void findChanges(byte[] before, int beforeOffset, byte[] after, int afterOffset, int pageBytes) {
    count = 0;
    totalBytes = 0;
    int from = 0;
    while (from < pageBytes) {
      int equal =
          Arrays.mismatch(
              before,
              beforeOffset + from,
              beforeOffset + pageBytes,
              after,
              afterOffset + from,
              afterOffset + pageBytes);
      if (equal < 0) {
        return;
      }
      int start = from + equal;
      int end = endOfChange(before, beforeOffset, after, afterOffset, start, pageBytes);
      add(start, end - start);
      from = end;
    }
  }

  /** {@return the end of the range that starts with a changed byte: up to the first wide gap} */
  private static int endOfChange(
      byte[] before, int beforeOffset, byte[] after, int afterOffset, int start, int pageBytes) {
    int end = start + 1;
    for (int next = end; next < pageBytes && next - end < GAP_BYTES; next++) {
      if (before[beforeOffset + next] != after[afterOffset + next]) {
        end = next + 1;
      }
    }
    return end;
  }

  private void add(int offset, int length) {
    assert length > 0;
    assert count == 0 || offset >= offsets[count - 1] + lengths[count - 1];
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    offsets[count] = offset;
    lengths[count] = length;
    count++;
    totalBytes += length;
  }
}
