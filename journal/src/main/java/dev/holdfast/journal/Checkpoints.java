package dev.holdfast.journal;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Lets old segments go: asks the views which records they need, has that low-water mark written
 * with the next group, deletes or recycles the segments below it once it is durable, and asks for a
 * checkpoint when views hold back too many.
 *
 * <p>Views are asked on a thread of their own, never by a leader: a view may hold one of its locks
 * while it waits for the journal.
 */
final class Checkpoints implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final int FAILURES_UNREPORTED = 2;

  private final JournalOptions options;
  private final Segments segments;
  private final SegmentSupply supply;
  private final LowWaterMark lowWaterMark;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("holdfast-journal-checkpoint").factory());

  /** Whether a review is due; many reasons for one are answered by one. */
  private final AtomicBoolean due = new AtomicBoolean();

  private volatile @Nullable Watch watch;

  private int failures; // in a row; owned by the thread

  /** What there is to watch once the views have recovered. */
  private record Watch(Journal journal, List<JournalView> views) {}

  Checkpoints(
      JournalOptions options, Segments segments, SegmentSupply supply, LowWaterMark lowWaterMark) {
    this.lowWaterMark = lowWaterMark;
    this.options = options;
    this.segments = segments;
    this.supply = supply;
  }

  void start(Journal journal, List<? extends JournalView> views) {
    watch = new Watch(journal, List.copyOf(views));
    review();
  }

  /** Takes note of a durable group. Called by leaders; returns at once. */
  void flushed(Group group) {
    if (group.place().nextSegment() != null || segments.hasEntirelyBefore(group.lowWaterMark())) {
      review();
    }
  }

  private void review() {
    Watch watched = watch;
    if (watched != null && due.compareAndSet(false, true)) {
      try {
        thread.execute(() -> review(watched));
      } catch (RejectedExecutionException e) {
        due.set(false); // closing; the next run will look again
      }
    }
  }

  private void review(Watch watched) {
    due.set(false);
    try {
      raiseMark(watched);
      reclaim(lowWaterMark.durable());
      askForCheckpoint(watched);
      raiseMark(watched);
      failures = 0;
    } catch (RuntimeException | IOException e) {
      report(e); // segments stay a while longer; the next one that is begun is a new attempt
    }
  }

  /** Says it once until it works again, and not the first time: a later attempt may succeed. */
  private void report(Exception e) {
    failures++;
    if (failures == FAILURES_UNREPORTED + 1) {
      LOG.log(Level.WARNING, "Old journal segments stay in {0}: {1}", segments.directory(), e);
    }
  }

  /**
   * The mark never passes the durable end, not even when no view needs anything: a mark that
   * survived a crash, in the header of a new segment, while the records before it did not, would
   * hide those that later get their positions. And the end is read before the views are asked,
   * since a view may not know of a record that was appended after it was asked.
   */
  private void raiseMark(Watch watched) {
    long mark = watched.journal().durablePosition() + 1;
    for (JournalView view : watched.views()) {
      mark = Math.min(mark, view.lowWaterMark());
    }
    lowWaterMark.raise(mark);
  }

  private void reclaim(long durableMark) throws IOException {
    List<Long> free = segments.entirelyBefore(durableMark);
    for (long firstPosition : free) {
      segments.remove(firstPosition);
      Path file = segments.fileOf(firstPosition);
      if (sizeOf(file) != options.segmentBytes() || !supply.recycle(file, options.segmentBytes())) {
        options.disk().delete(file);
      }
    }
    if (!free.isEmpty()) {
      options.disk().forceDirectory(segments.directory());
    }
  }

  private long sizeOf(Path file) throws IOException {
    try (DiskFile open = options.disk().open(file, Mode.READ)) {
      return open.size();
    }
  }

  private void askForCheckpoint(Watch watched) {
    List<Long> all = segments.from(0);
    if (all.size() > options.heldSegmentsMax()) {
      long position = all.get(all.size() - options.heldSegmentsMax());
      watched.views().forEach(view -> view.checkpointBefore(position));
    }
  }

  /** Asks the views a last time, after everything has become durable. */
  void raiseMark() {
    Watch watched = watch;
    if (watched != null) {
      try {
        raiseMark(watched);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "A view cannot say what it needs; more is read next time: " + e);
      }
    }
  }

  /** Waits for a review in progress and ends the thread. */
  @Override
  public void close() {
    Uninterruptibly.close(thread);
  }
}
