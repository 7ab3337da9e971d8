package dev.holdfast.journal.retention;

import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Removes the oldest segments of a journal, one after the other, each durably before the next.
 * Confined to one thread.
 */
public final class SegmentRemoval {

  private final Disk disk;
  private final Segments segments;
  private final SegmentSupply supply;
  private final SegmentHistory history;

  /** A name was removed, and the removal may not be durable. */
  private boolean directoryInDoubt;

  public SegmentRemoval(
      Disk disk, Segments segments, SegmentSupply supply, SegmentHistory history) {
    this.disk = disk;
    this.segments = segments;
    this.supply = supply;
    this.history = history;
  }

  /** Makes durable what an attempt that failed has removed. Comes before the next segment. */
  public void finish() throws IOException {
    if (directoryInDoubt) {
      forceDirectory();
    }
  }

  /**
   * Removes the oldest segment.
   *
   * @param segment its first position
   * @param floor called while no reader can see the segment: records from this position on stay
   * @param reusedBytes a file of this size may be reused for the next segment; 0 if none may
   * @return false if the segment stays
   */
  public boolean remove(long segment, LongSupplier floor, long reusedBytes) throws IOException {
    Path file = segments.fileOf(segment);
    boolean isReusable = reusedBytes > 0 && sizeOf(file) == reusedBytes;
    boolean removed =
        history.drop(
            segment,
            floor,
            () -> {
              directoryInDoubt = true;
              if (!isReusable || !supply.recycle(file, reusedBytes)) {
                disk.delete(file);
              }
            });
    if (removed) {
      forceDirectory();
    }
    return removed;
  }

  private long sizeOf(Path file) throws IOException {
    try (DiskFile open = disk.open(file, Mode.READ)) {
      return open.size();
    }
  }

  /** After each segment: a crash must not restore a segment whose successors are gone. */
  private void forceDirectory() throws IOException {
    disk.forceDirectory(segments.directory());
    directoryInDoubt = false;
  }
}
