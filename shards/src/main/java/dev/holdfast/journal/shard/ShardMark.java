package dev.holdfast.journal.shard;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.spi.JournalView;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The lowest position that the views of an owner still need. Thread-safe.
 *
 * <p>A mark that was taken counts once everything is accepted that the views had appended until
 * then: their checkpoints are among it, and without them recovery would need what the mark leaves
 * out.
 */
final class ShardMark {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final ShardCommit commit;
  private final Segments segments;
  private final int heldSegmentsMax;

  private final ReentrantLock lock = new ReentrantLock();

  private volatile @Nullable List<JournalView> views;

  // Guarded by lock.
  private long settled;
  private @Nullable Taken taken;

  private record Taken(long mark, long lastPosition) {}

  ShardMark(ShardCommit commit, Segments segments, int heldSegmentsMax) {
    this.commit = commit;
    this.segments = segments;
    this.heldSegmentsMax = heldSegmentsMax;
  }

  /** From now on the views are asked. */
  void start(List<? extends JournalView> recovered) {
    views = List.copyOf(recovered);
  }

  /** {@return the views that are asked; null before there are any} */
  @Nullable List<JournalView> views() {
    return views;
  }

  /** {@return a mark that may be saved; 0 if none was taken yet} */
  long review() {
    List<JournalView> asked = views;
    if (asked == null) {
      return 0;
    }
    lock.lock();
    try {
      settle();
      if (taken == null) {
        take(asked);
        settle();
      }
      return settled;
    } finally {
      lock.unlock();
    }
  }

  private void settle() {
    assert lock.isHeldByCurrentThread();
    Taken waiting = taken;
    // By the commits of this ownership: the next owner gives the same positions to other records.
    if (waiting != null && waiting.lastPosition() <= commit.durablePosition()) {
      settled = Math.max(settled, waiting.mark());
      taken = null;
    }
  }

  /** The end is read first: a view may not have what is appended after it was asked. */
  private void take(List<JournalView> asked) {
    assert lock.isHeldByCurrentThread();
    long mark = commit.durablePosition() + 1;
    for (JournalView view : asked) {
      mark = Math.min(mark, view.lowWaterMark());
    }
    taken = new Taken(mark, commit.lastPosition());
  }

  /** Asks the views for checkpoints, if a mark holds back many segments. */
  void askForCheckpoints(long mark) {
    List<JournalView> asked = views;
    List<Long> held = segments.from(mark);
    if (asked != null && held.size() > heldSegmentsMax) {
      long position = held.get(held.size() - heldSegmentsMax);
      try {
        asked.forEach(view -> view.checkpointBefore(position));
      } catch (JournalFailedException e) {
        // The shard is being given up: views that wrote a checkpoint found the journal closed. The
        // replica, on whose thread this runs, goes on; the next owner asks views of its own.
        LOG.log(Level.DEBUG, "No checkpoint was written: the ownership ends.", e);
      }
    }
  }
}
