package dev.holdfast.journal;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.file.Uninterruptibly;
import dev.holdfast.journal.group.Group;
import dev.holdfast.journal.retention.HistoryReports;
import dev.holdfast.journal.retention.Retention;
import dev.holdfast.journal.retention.SegmentRemoval;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Removes old segments: asks the views which records they need, has that low-water mark written
 * with the next group, deletes or recycles the segments below it once it is durable, and requests a
 * checkpoint when views hold back too many segments.
 *
 * <p>A dedicated thread asks the views, never a leader: a view may hold one of its locks while it
 * waits for the journal.
 */
final class Checkpoints implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final int FAILURES_UNREPORTED = 2;

  private final JournalOptions options;
  private final Segments segments;
  private final SegmentSupply supply;
  private final @Nullable MarkFile mark;
  private final LowWaterMark lowWaterMark;
  private final SegmentHistory history;
  private final Retention retention;
  private final SegmentRemoval removal;
  private final HistoryReports reports;
  private final TimeSource time;
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().daemon().name("holdfast-journal-checkpoint").factory());

  /** Whether a review is due; one review serves all requests made before it. */
  private final AtomicBoolean due = new AtomicBoolean();

  private volatile @Nullable Watch watch;

  /** How many copies of the journal are being made. Incremented by the thread. */
  private final AtomicInteger pins = new AtomicInteger();

  /** Bytes written since the history was last brought up to date. */
  private final AtomicLong unindexedBytes = new AtomicLong();

  /** The segment in which the durable mark was last seen; a race costs one extra review. */
  private volatile long markedSegment;

  /** Set by the thread, and read after it has ended. */
  private volatile TimeSource.@Nullable Timer nextLook;

  /** The error that kept a leader from requesting a review; the next review reports it. */
  private volatile @Nullable Throwable missed;

  /** What the last review found on the disk. */
  private volatile Usage usage = new Usage(0, Long.MAX_VALUE, false);

  /** Whether anything was written since the journal was opened. */
  private volatile boolean written;

  // Confined to the thread.
  private int failures; // in a row

  /** What waits until no view, copy or archive needs the records of it. */
  private final List<Purge> purges = new ArrayList<>();

  /** Whether there are purges; read by leaders. */
  private volatile boolean purging;

  /**
   * Records that nothing needs any more.
   *
   * @param key the object whose records leave the journal; null if nothing is removed
   * @param upTo the last position that may be one of them
   * @param done completes when they have left the journal
   */
  private record Purge(@Nullable ObjectKey key, long upTo, CompletableFuture<Long> done) {}

  /** What to review once the views have recovered. */
  private record Watch(
      Journal journal, Runnable writeMark, Runnable beginSegment, List<JournalView> views) {}

  /**
   * What the segments take on the disk.
   *
   * @param segmentBytes their size with their indexes
   * @param sinceMillis the time from which on every record is kept; the largest long if unknown
   * @param isCapShort whether the cap drops history inside the window within a day
   */
  record Usage(long segmentBytes, long sinceMillis, boolean isCapShort) {}

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
    this.mark = files.mark();
    this.history = history;
    this.time = time;
    this.removal = new SegmentRemoval(options.disk(), segments, supply, history);
    HistoryOptions kept = options.history();
    this.reports = new HistoryReports(segments, kept.bytesMax(), time);
    this.retention =
        new Retention(
            new Retention.Limits(kept.windowMillis(), kept.bytesMax()), segments, history, time);
  }

  /** The files of a journal. */
  record Files(Segments segments, SegmentSupply supply, @Nullable MarkFile mark) {}

  /**
   * @param writeMark writes the mark if it has changed, even if there is no record to write
   * @param beginSegment makes the newest segment a full one
   */
  void start(
      Journal journal,
      Runnable writeMark,
      Runnable beginSegment,
      List<? extends JournalView> views) {
    thread.prestartCoreThread();
    watch = new Watch(journal, writeMark, beginSegment, List.copyOf(views));
    journal.onFailure(failure -> execute(() -> failPurges(failure)));
    review();
  }

  /** Records a durable group. Called by leaders; returns at once. */
  void flushed(Group group) {
    try {
      watch(group);
    } catch (RuntimeException | Error e) {
      // The leader must not die of an error in work that can wait: without it no write becomes
      // durable.
      due.set(false);
      missed = e;
    }
  }

  private void watch(Group group) {
    written = true;
    prepareSpare(group);
    long unindexed = unindexedBytes.addAndGet(group.groupBytes());
    boolean reachesSegment = reachesNextSegment(group.lowWaterMark());
    if (group.place().isFirst() || reachesSegment || purging) {
      review();
    } else if (unindexed >= JournalBounds.UNINDEXED_BYTES_MAX && !options.history().keepsNone()) {
      unindexedBytes.set(0);
      execute(this::index);
    }
  }

  /**
   * The next segment is prepared when a quarter of this one is full, and not before: by then an old
   * one may have become free, and is reused instead.
   */
  private void prepareSpare(Group group) {
    long quarter = group.place().segmentBytes() / 4;
    long begin = group.place().offsetBytes();
    if (begin <= quarter && begin + group.groupBytes() > quarter) {
      supply.prepare(options.segmentBytesAfter(group.place().segmentBytes()));
    }
  }

  /** {@return whether a mark is in another segment than the mark before it} */
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
      due.set(false); // closing; the next run reviews again
    }
  }

  private void review() {
    Watch watched = watch;
    if (watched != null && due.compareAndSet(false, true)) {
      execute(() -> review(watched, /* resting= */ false));
    }
  }

  /** No review was requested for some time. */
  private void reviewAtRest() {
    Watch watched = watch;
    if (watched != null && due.compareAndSet(false, true)) {
      execute(() -> review(watched, /* resting= */ true));
    }
  }

  private void review(Watch watched, boolean resting) {
    due.set(false);
    reportMissed();
    long nextLookNanos = retention.nanosUntilNextAttempt();
    try {
      raiseMark(watched);
      reclaim(lowWaterMark.durable(), watched);
      if (written && !options.history().keepsNone()) {
        history.advance();
      }
      if (mark != null) {
        mark.raise(watched.journal().durablePosition());
      }
      askForCheckpoint(watched, resting ? 1 : options.heldSegmentsMax());
      raiseMark(watched);
      if (resting) {
        watched.writeMark().run();
      }
      nextLookNanos = nextLook(retention.nanosUntilNextExpiry());
      purge(watched);
      measure();
      failures = 0;
    } catch (RuntimeException | IOException e) {
      report(e); // segments stay a while longer; the next review is a new attempt
      failPurges(e);
    } finally {
      lookAgainIn(
          purging
              ? JournalBounds.PURGE_LOOK_NANOS
              : nextLookNanos); // also after an Error: there may be no other request for a review
    }
  }

  // ---------------------------------------------------------------- purging

  /**
   * Removes the records of an object up to a position, once no view and no archive needs them.
   *
   * @return completes when the bytes of the records are in no file of the journal
   */
  CompletableFuture<Void> purge(ObjectKey key, long upTo) {
    return onThread(
            done -> {
              supply.discardUsed();
              add(new Purge(key, upTo, done));
            })
        .thenApply(_ -> null);
  }

  /**
   * Waits until no view and no archive needs the records that were appended so far.
   *
   * @param beginSegment begins a segment
   * @return completes with the first position of the segment
   */
  CompletableFuture<Long> settle(Runnable beginSegment) {
    return onThread(
        done -> {
          beginSegment.run();
          long before = segments.isEmpty() ? 0 : segments.newest();
          add(new Purge(null, before - 1, done));
        });
  }

  private interface Request {
    void begin(CompletableFuture<Long> done) throws IOException;
  }

  private CompletableFuture<Long> onThread(Request request) {
    CompletableFuture<Long> done = new CompletableFuture<>();
    try {
      thread.execute(
          () -> {
            try {
              request.begin(done);
            } catch (RuntimeException | IOException e) {
              done.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      done.completeExceptionally(new JournalFailedException("The journal is closed.", e));
    }
    return done;
  }

  private void add(Purge purge) {
    purging = true; // from now on no old segment becomes a spare
    purges.add(purge);
    review(); // after the requests that were made meanwhile: all of them are one round
  }

  /** One round for all purges whose records nothing needs any more. */
  private void purge(Watch watched) throws IOException {
    if (purges.isEmpty()) {
      return;
    }
    askToRelease(watched);
    List<Purge> released = released(watched);
    if (released.isEmpty()) {
      return;
    }
    try {
      if (!isRemoved(released, watched)) {
        return;
      }
      released.forEach(purge -> purge.done().complete(purge.upTo() + 1));
    } catch (RuntimeException | IOException | Error e) {
      released.forEach(purge -> purge.done().completeExceptionally(e));
    }
    purges.removeAll(released);
    purging = !purges.isEmpty();
  }

  private void askToRelease(Watch watched) {
    long last = purges.stream().mapToLong(Purge::upTo).max().orElse(0);
    if (lowWaterMark.durable() <= last) {
      watched.views().forEach(view -> view.checkpointBefore(last + 1));
      raiseMark(watched);
      watched.writeMark().run();
    }
    RuntimeException failure = watched.journal().failure();
    if (failure != null) {
      throw failure; // nothing becomes durable any more
    }
  }

  private List<Purge> released(Watch watched) {
    if (pins.get() > 0) {
      return List.of();
    }
    long floor = lowWaterMark.durable();
    for (JournalView view : watched.views()) {
      floor = Math.min(floor, view.purgeFloor());
    }
    long released = floor;
    return purges.stream().filter(purge -> purge.upTo() < released).toList();
  }

  /** {@return false if the journal is being closed, and not all was done} */
  private boolean isRemoved(List<Purge> released, Watch watched) throws IOException {
    Map<ObjectKey, Long> extents = new HashMap<>();
    for (Purge purge : released) {
      if (purge.key() != null) {
        extents.merge(purge.key(), purge.upTo(), Math::max);
      }
    }
    watched.journal().requireOwnership();
    if (!extents.isEmpty()) {
      // Also if the newest segment has no record of them: older ones may be after its end.
      watched.beginSegment().run();
    }
    List<Long> full = segments.entirelyBefore(segments.isEmpty() ? 0 : segments.newest());
    // Without an object: only the segment that was not full, for the room that it does not use.
    for (long segment : extents.isEmpty() && !full.isEmpty() ? List.of(full.getLast()) : full) {
      if (thread.isShutdown()) {
        return false; // the close waits for this thread, and gigabytes can be left
      }
      history.purge(segment, extents, options.salts().getAsLong(), supply.unfinishedFile());
    }
    return true;
  }

  private void failPurges(Exception cause) {
    purges.forEach(purge -> purge.done().completeExceptionally(cause));
    purges.clear();
    purging = false;
  }

  /** Here, because the sizes and times may have to be read from files. */
  private void measure() {
    boolean wasShort = usage.isCapShort();
    Usage now =
        new Usage(history.segmentBytes(), history.oldestWallMillis(), retention.isCapShort());
    usage = now;
    if (now.isCapShort() && !wasShort) {
      reports.capIsShort(now.segmentBytes());
    }
  }

  List<HealthReason> troubles() {
    Usage now = usage;
    return now.isCapShort() ? List.of(reports.shortCap(now.segmentBytes())) : List.of();
  }

  /** {@return what the segments take on the disk, as the last review found it} */
  Usage usage() {
    return usage;
  }

  /**
   * History becomes too old by the clock alone: there may be no write for longer than the window.
   */
  private void lookAgainIn(long delayNanos) {
    TimeSource.Timer scheduled = nextLook;
    if (scheduled != null) {
      scheduled.cancel();
    }
    nextLook = delayNanos == Retention.NEVER ? null : time.schedule(delayNanos, this::reviewAtRest);
  }

  private long nextLook(long expiryNanos) {
    boolean canShrink = options.history().keepsNone() && segments.from(0).size() > 1;
    if (!canShrink) {
      return expiryNanos;
    }
    return expiryNanos == Retention.NEVER
        ? JournalBounds.REST_NANOS
        : Math.min(expiryNanos, JournalBounds.REST_NANOS);
  }

  private void reportMissed() {
    Throwable reason = missed;
    if (reason != null) {
      missed = null;
      LOG.log(Level.WARNING, "Old journal segments were checked late", reason);
    }
  }

  /**
   * Logs a failure once until a review succeeds, and not the first time: a later attempt may
   * succeed.
   */
  private void report(Exception e) {
    failures++;
    if (failures == FAILURES_UNREPORTED + 1) {
      LOG.log(Level.WARNING, "Old journal segments stay in {0}: {1}", segments.directory(), e);
    }
  }

  /**
   * The mark never passes the durable end, not even when no view needs anything: a mark that
   * survived a crash, in the header of a new segment, while the records before it did not, would
   * hide the records that later get their positions. The end is read before the views are asked,
   * because a view may not have a record that was appended after it was asked.
   */
  private void raiseMark(Watch watched) {
    if (pins.get() > 0) {
      return;
    }
    long mark = watched.journal().durablePosition() + 1;
    for (JournalView view : watched.views()) {
      mark = Math.min(mark, view.lowWaterMark());
    }
    lowWaterMark.raise(mark);
  }

  private void reclaim(long durableMark, Watch watched) throws IOException {
    removal.finish();
    for (Retention.Expired expired : retention.expired(durableMark, floor(watched))) {
      long firstPosition = expired.firstPosition();
      long reusedBytes = purging ? 0 : options.segmentBytes();
      if (!removal.remove(firstPosition, () -> floor(watched), reusedBytes)) {
        return; // a restore was requested meanwhile
      }
      if (expired.isEarly()) {
        reports.droppedEarly(segments.oldest());
      }
    }
  }

  private long floor(Watch watched) {
    if (pins.get() > 0) {
      return 0;
    }
    long floor = Long.MAX_VALUE;
    for (JournalView view : watched.views()) {
      floor = Math.min(floor, view.historyFloor());
    }
    return floor;
  }

  private void askForCheckpoint(Watch watched, int heldMax) {
    List<Long> held = segments.from(lowWaterMark.known());
    if (held.size() > heldMax) {
      long position = held.get(held.size() - heldMax);
      watched.views().forEach(view -> view.checkpointBefore(position));
    }
  }

  /** Asks the views a last time, after all records have become durable. */
  void raiseMark() {
    Watch watched = watch;
    if (watched != null) {
      try {
        raiseMark(watched);
      } catch (RuntimeException e) {
        LOG.log(
            Level.WARNING,
            "A view cannot report which records it needs; the next opening reads more: " + e);
      }
    }
  }

  /**
   * Lets the views rewrite what they need from before a position, if anything was written and they
   * need something. Called while the journal is being closed, after the thread has ended.
   */
  void renewBefore(long position) {
    Watch watched = watch;
    if (watched == null || !written) {
      return;
    }
    raiseMark();
    if (lowWaterMark.known() < position) {
      watched.views().forEach(view -> renewBefore(view, position));
    }
  }

  private static void renewBefore(JournalView view, long position) {
    try {
      view.checkpointBefore(position);
    } catch (JournalFailedException e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "A view keeps old records: more is read at the next opening", e);
    }
  }

  /**
   * Keeps all segments and the low-water mark. Done by the thread, so that a review in progress,
   * which has asked the views already, neither raises the mark nor drops a segment afterwards.
   *
   * @throws JournalFailedException if the journal is closed
   */
  void pin() {
    try {
      CompletableFuture.runAsync(pins::incrementAndGet, thread).join();
    } catch (RejectedExecutionException e) {
      throw new JournalFailedException("The journal is closed.", e);
    }
  }

  /** Ends a {@link #pin}. */
  void unpin() {
    pins.decrementAndGet();
    review();
  }

  /** {@return the mark that would remain after a crash} */
  long durableMark() {
    return lowWaterMark.durable();
  }

  /** Removes old segments after all views are saved. Called when the journal is closed. */
  void reclaimLast() {
    Watch watched = watch;
    if (watched != null) {
      try {
        reclaim(lowWaterMark.durable(), watched);
        measure();
      } catch (RuntimeException | IOException e) {
        LOG.log(Level.DEBUG, "Old journal segments stay until the next opening", e);
      }
    }
  }

  /** Waits for a review in progress and ends the thread. */
  @Override
  public void close() {
    Uninterruptibly.close(thread);
    failPurges(new JournalFailedException("The journal was closed; purge again.", null));
    TimeSource.Timer scheduled =
        nextLook; // of the last review; a timer that fires meanwhile has no effect
    if (scheduled != null) {
      scheduled.cancel();
    }
  }
}
