package dev.holdfast.journal.replica;

import dev.holdfast.TimeSource;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.retention.SegmentRemoval;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The oldest segments of a copy of a journal: removed once neither the history that is given, nor
 * the files of this node, nor a copy that another node makes needs them. Confined to one thread at
 * a time.
 */
public final class OldSegments {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Segments segments;
  private final SegmentRemoval removal;
  private final LongSupplier reusedBytes;
  private final LongSupplier copiedFrom;
  private final TimeSource time;
  private final Runnable again;

  private final AtomicBoolean isScheduled = new AtomicBoolean();
  private boolean isFailing;

  /**
   * @param removal removes a segment of them
   * @param reusedBytes segments of this size may be reused; 0 for none
   * @param copiedFrom the first position that another node may ask for; the largest long if none
   * @param again called when there may be more to remove, on the thread of a timer
   */
  public OldSegments(
      Segments segments,
      SegmentRemoval removal,
      LongSupplier reusedBytes,
      LongSupplier copiedFrom,
      TimeSource time,
      Runnable again) {
    this.segments = segments;
    this.removal = removal;
    this.reusedBytes = reusedBytes;
    this.copiedFrom = copiedFrom;
    this.time = time;
    this.again = again;
  }

  /**
   * Removes what is not needed any more. What cannot be removed now is tried again later.
   *
   * @param limit nothing before this position is needed: durably, without that a segment could be
   *     missed after a crash
   */
  public void remove(long limit) {
    if (!hasRemoved(limit) && isScheduled.compareAndSet(false, true)) {
      time.schedule(
          CopyHold.SILENCE_NANOS,
          () -> {
            isScheduled.set(false);
            again.run();
          });
    }
  }

  private boolean hasRemoved(long limit) {
    try {
      removal.finish();
      for (long segment : segments.entirelyBefore(limit)) {
        if (!removal.remove(segment, copiedFrom, reusedBytes.getAsLong())) {
          return false;
        }
      }
      isFailing = false;
      return true;
    } catch (IOException | RuntimeException e) {
      if (!isFailing) {
        LOG.log(
            Level.WARNING,
            "Old segments stay in " + segments.directory() + "; it is tried again.",
            e);
      }
      isFailing = true;
      return false;
    }
  }

  /**
   * Removes what a run has left that ended in the middle, or what a repair has put back. Called
   * before anybody looks at the segments.
   *
   * @param limit as for {@link #remove}
   */
  public static void removeAtOpening(Disk disk, Path directory, long limit) throws IOException {
    Segments found = Segments.list(disk, directory);
    for (long segment : found.entirelyBefore(limit)) {
      disk.delete(found.fileOf(segment));
      disk.delete(found.indexFileOf(segment));
      disk.forceDirectory(directory); // each: no crash leaves a gap
    }
  }
}
