package dev.holdfast.log.ratis;

import java.util.ArrayDeque;

/**
 * How many bytes of the log are behind which entry, to within 64 KiB. Confined to one thread at a
 * time.
 */
final class LogTail {

  private static final long MARK_BYTES = 64 << 10;

  /**
   * @param totalBytes of all entries up to the index
   */
  private record Mark(long index, long totalBytes) {}

  private final ArrayDeque<Mark> marks = new ArrayDeque<>();
  private long totalBytes;
  private long markedBytes;
  private long droppedBytes;

  /** Adds the next entry of the log. */
  void add(long index, long entryBytes) {
    totalBytes += entryBytes;
    if (totalBytes - markedBytes >= MARK_BYTES) {
      marks.add(new Mark(index, totalBytes));
      markedBytes = totalBytes;
    }
  }

  /** {@return the bytes of the entries that were added and not dropped} */
  long bytes() {
    return totalBytes - droppedBytes;
  }

  /**
   * Returns an entry that has at most this number of bytes behind it.
   *
   * @return its index; {@link RatisLog#NONE} if there are no more bytes than that
   */
  long cutoff(long bytesMax) {
    if (bytes() <= bytesMax) {
      return RatisLog.NONE;
    }
    for (Mark mark : marks) {
      if (totalBytes - mark.totalBytes() <= bytesMax) {
        return mark.index();
      }
    }
    return RatisLog.NONE;
  }

  /** Forgets the entries up to an index. */
  void dropTo(long index) {
    while (!marks.isEmpty() && marks.getFirst().index() <= index) {
      droppedBytes = marks.removeFirst().totalBytes();
    }
  }
}
