package dev.holdfast.journal;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.TimeSource;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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

  /** After so many bytes the history is brought up to date: 20 ms of work for whoever asks. */
  private static final long INDEXED_BYTES = 4L << 20;

  private final JournalOptions options;
  private final Segments segments;
  private final SegmentSupply supply;
  private final LowWaterMark lowWaterMark;
  private final SegmentHistory history;
  private final Retention retention;
  private final TimeSource time;
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().daemon().name("holdfast-journal-checkpoint").factory());

  /** Whether a review is due; many reasons for one are answered by one. */
  private final AtomicBoolean due = new AtomicBoolean();

  private volatile @Nullable Watch watch;

  /** What was written since the history was brought up to date last. */
  private final AtomicLong unindexedBytes = new AtomicLong();

  /** The segment that the durable mark was seen in last; a race costs one review too many. */
  private volatile long markedSegment;

  /** Set by the thread, and read when it has ended. */
  private volatile TimeSource.@Nullable Timer nextLook;

  /** What kept a leader from having the files looked at; told by the next look. */
  private volatile @Nullable Throwable missed;

  // Owned by the thread.
  private int failures; // in a row
  private boolean directoryInDoubt; // a name was removed, and that is not known to be durable

  /** What there is to watch once the views have recovered. */
  private record Watch(Journal journal, List<JournalView> views) {}

  Checkpoints(
      JournalOptions options,
      Files files,
      LowWaterMark lowWaterMark,
      SegmentHistory history,
      TimeSource time) {
    this.lowWaterMark = lowWaterMark;
    this.options = options;
    this.segments = files.segments();
    this.supply = files.supply();
    this.history = history;
    this.time = time;
    this.retention = new Retention(options, segments, history, time);
  }

  /** The files of a journal. */
  record Files(Segments segments, SegmentSupply supply) {}

  void start(Journal journal, List<? extends JournalView> views) {
    thread.prestartCoreThread();
    watch = new Watch(journal, List.copyOf(views));
    review();
  }

  /** Takes note of a durable group. Called by leaders; returns at once. */
  void flushed(Group group) {
    try {
      watch(group);
    } catch (RuntimeException | Error e) {
      // The leader is not to die of what can wait: without it nobody's write would become durable.
      due.set(false);
      missed = e;
    }
  }

  private void watch(Group group) {
    long unindexed = unindexedBytes.addAndGet(group.groupBytes());
    boolean reachesSegment = reachesNextSegment(group.lowWaterMark());
    if (group.place().isFirst() || reachesSegment) {
      review();
    } else if (unindexed >= INDEXED_BYTES && !options.history().keepsNone()) {
      unindexedBytes.set(0);
      execute(this::index);
    }
  }

  /** {@return whether a mark lies in another segment than the one before it did} */
  private boolean reachesNextSegment(long mark) {
    Long segment = segments.holding(mark);
    if (segment == null || segment == markedSegment) {
      return false;
    }
    markedSegment = segment;
    return true;
  }

  private void index() {
    try {
      history.advance();
    } catch (RuntimeException | IOException e) {
      report(e);
    }
  }

  private void execute(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      due.set(false); // closing; the next run will look again
    }
  }

  private void review() {
    Watch watched = watch;
    if (watched != null && due.compareAndSet(false, true)) {
      execute(() -> review(watched));
    }
  }

  private void review(Watch watched) {
    due.set(false);
    reportMissed();
    long nextLookNanos = retention.nanosUntilNextAttempt();
    try {
      raiseMark(watched);
      reclaim(lowWaterMark.durable(), watched);
      if (!options.history().keepsNone()) {
        history.advance();
      }
      askForCheckpoint(watched);
      raiseMark(watched);
      nextLookNanos = retention.nanosUntilNextExpiry();
      failures = 0;
    } catch (RuntimeException | IOException e) {
      report(e); // segments stay a while longer; the next look is a new attempt
    } finally {
      lookAgainIn(nextLookNanos); // also after an Error: nobody else may ask for a look
    }
  }

  /** History becomes too old by the clock alone: nobody may write for longer than the window. */
  private void lookAgainIn(long delayNanos) {
    TimeSource.Timer scheduled = nextLook;
    if (scheduled != null) {
      scheduled.cancel();
    }
    nextLook = delayNanos == Retention.NEVER ? null : time.schedule(delayNanos, () -> review());
  }

  private void reportMissed() {
    Throwable reason = missed;
    if (reason != null) {
      missed = null;
      LOG.log(Level.WARNING, "Old journal segments were looked at late", reason);
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

  private void reclaim(long durableMark, Watch watched) throws IOException {
    if (directoryInDoubt) {
      forceDirectory();
    }
    for (long firstPosition : retention.expired(durableMark, floor(watched))) {
      Path file = segments.fileOf(firstPosition);
      boolean isRegular = retention.sizeOf(firstPosition) == options.segmentBytes();
      boolean dropped =
          history.drop(
              firstPosition,
              () -> floor(watched),
              () -> {
                directoryInDoubt = true;
                if (!isRegular || !supply.recycle(file, options.segmentBytes())) {
                  options.disk().delete(file);
                }
              });
      if (!dropped) {
        return; // a restore was asked for meanwhile
      }
      forceDirectory();
    }
  }

  /** After each segment: a crash must not bring one back whose successors are gone. */
  private void forceDirectory() throws IOException {
    options.disk().forceDirectory(segments.directory());
    directoryInDoubt = false;
  }

  private static long floor(Watch watched) {
    long floor = Long.MAX_VALUE;
    for (JournalView view : watched.views()) {
      floor = Math.min(floor, view.historyFloor());
    }
    return floor;
  }

  private void askForCheckpoint(Watch watched) {
    List<Long> held = segments.from(lowWaterMark.known());
    if (held.size() > options.heldSegmentsMax()) {
      long position = held.get(held.size() - options.heldSegmentsMax());
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
    TimeSource.Timer scheduled =
        nextLook; // of the last review; one that fires meanwhile does nothing
    if (scheduled != null) {
      scheduled.cancel();
    }
  }
}
