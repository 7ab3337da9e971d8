package dev.holdfast.journal.shard;

import dev.holdfast.HoldfastException;
import dev.holdfast.TimeSource;
import dev.holdfast.health.HealthReason;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.replica.GivenHistory;
import dev.holdfast.journal.retention.HistoryReports;
import dev.holdfast.journal.retention.Retention;
import dev.holdfast.journal.retention.Retention.Expired;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalView;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Decides, as the owner of a shard, from which position on history is given: by the clock of this
 * node, its options, and what restores need. The decision is proposed to the log, and counts on
 * every replica once it is accepted. Here it counts at once, so that no restore is requested to
 * what is about to go.
 *
 * <p>{@link #review} is called by one thread at a time; the rest is thread-safe.
 */
final class ShardRetention {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** A decision that was not accepted is proposed again, and one that is held back taken again. */
  static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What a member may lack is kept for it so long: after that it takes files of the objects. */
  static final long KEPT_NANOS_MAX = TimeUnit.HOURS.toNanos(1);

  /** A member that is only slower than the others is no trouble. */
  static final long HELD_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

  private final TimeSource time;
  private final long bytesMax;
  private final Segments segments;
  private final SegmentHistory all;
  private final Retention retention;
  private final HistoryReports reports;
  private final Members members;
  private final LongConsumer proposed;

  private final ReentrantLock lock = new ReentrantLock();
  private long from; // guarded by lock

  /**
   * What the replicas of the shard have.
   *
   * @param historyFrom the position from which on they give history
   * @param heldByAll the newest segment of which all of them have the beginning; 0 if none is known
   */
  record Members(LongSupplier historyFrom, LongSupplier heldByAll) {}

  // Of reviews.
  private long proposedNanos;
  private boolean isFailing;
  private volatile boolean isCapShort;
  private volatile Held held = Held.NOTHING;
  private volatile Measured measured = new Measured(0, Long.MAX_VALUE);

  /**
   * What the last review has found.
   *
   * @param segmentBytes the size of the segments of this node with their indexes
   * @param sinceMillis since when every record is given; the largest long if unknown
   */
  record Measured(long segmentBytes, long sinceMillis) {}

  /**
   * What would be dropped, if a member did not perhaps need it.
   *
   * @param segments their number
   * @param sinceNanos since when there are any
   */
  private record Held(int segments, long sinceNanos) {

    static final Held NOTHING = new Held(0, 0);
  }

  /**
   * @param members what the replicas have
   * @param proposed receives a later position from which on history is given
   */
  ShardRetention(
      JournalOptions options,
      TimeSource time,
      Segments segments,
      SegmentHistory all,
      Members members,
      LongConsumer proposed) {
    HistoryOptions kept = options.history();
    this.time = time;
    this.bytesMax = kept.bytesMax();
    this.segments = segments;
    this.all = all;
    this.retention =
        new Retention(
            new Retention.Limits(kept.windowMillis(), kept.bytesMax()), segments, all, time);
    this.reports = new HistoryReports(segments, kept.bytesMax(), time);
    this.members = members;
    this.from = members.historyFrom().getAsLong();
    this.proposed = proposed;
  }

  /** {@return the history that this owner gives} */
  JournalHistory given() {
    return new GivenHistory(all, this::from);
  }

  /** {@return the position from which on this owner gives history} */
  long from() {
    lock.lock(); // a position that is given here is not given up after a floor that was set before
    try {
      return from;
    } finally {
      lock.unlock();
    }
  }

  /** {@return the most bytes that the segments are to have; the largest long for no limit} */
  long bytesMax() {
    return bytesMax;
  }

  /**
   * Decides again.
   *
   * @param mark the views of this node need nothing before it
   * @return when to decide again even without a write, in nanoseconds from now; {@link
   *     Retention#NEVER} if nothing is to be dropped
   */
  long review(long mark, List<? extends JournalView> views) {
    try {
      List<Expired> free = heldByAll(due(mark, views));
      if (!free.isEmpty()) {
        drop(free, views);
      }
      boolean isAccepted = members.historyFrom().getAsLong() >= from();
      if (!isAccepted && time.monotonicNanos() - proposedNanos >= REPEAT_NANOS) {
        propose(from());
      }
      measure();
      isFailing = false;
      return again(retention.nanosUntilNextExpiry(), !isAccepted || held.segments() > 0);
    } catch (IOException | HoldfastException e) {
      // Such as a damaged segment, which another node has: no reason to stop.
      if (!isFailing) {
        LOG.log(
            Level.WARNING,
            "What history to drop in " + segments.directory() + " is not known; it is tried again.",
            e);
      }
      isFailing = true;
      return again(retention.nanosUntilNextAttempt(), /* isSoon= */ true);
    }
  }

  private static long again(long nanos, boolean isSoon) {
    return isSoon && (nanos == Retention.NEVER || nanos > REPEAT_NANOS) ? REPEAT_NANOS : nanos;
  }

  /** {@return what is given until now, and should not be any more} */
  private List<Expired> due(long mark, List<? extends JournalView> views) throws IOException {
    long given = from();
    return retention.expired(mark, floor(views)).stream()
        .filter(each -> endOf(each) > given)
        .toList();
  }

  private long endOf(Expired segment) {
    Long next = segments.after(segment.firstPosition());
    return next == null ? Long.MAX_VALUE : next; // the newest one stays
  }

  /**
   * Nothing is dropped for a time that a member may lack: segments are less to fetch than the files
   * of all objects.
   */
  private List<Expired> heldByAll(List<Expired> due) {
    long known = members.heldByAll().getAsLong();
    List<Expired> free = new ArrayList<>(due);
    free.removeIf(each -> endOf(each) > known);
    int count = due.size() - free.size();
    Held before = held;
    held =
        count == 0
            ? Held.NOTHING
            : new Held(count, before.segments() > 0 ? before.sinceNanos() : time.monotonicNanos());
    return time.monotonicNanos() - held.sinceNanos() < KEPT_NANOS_MAX ? free : due;
  }

  private void drop(List<Expired> free, List<? extends JournalView> views) {
    long next = endOf(free.getLast());
    if (raise(next, views)) {
      free.stream().filter(Expired::isEarly).forEach(_ -> reports.droppedEarly(next));
      propose(next);
    }
  }

  /** {@return whether history is given from there on now; false if a restore needs more} */
  private boolean raise(long position, List<? extends JournalView> views) {
    lock.lock();
    try {
      if (position <= from || position > floor(views)) {
        return false;
      }
      from = position;
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void propose(long position) {
    proposedNanos = time.monotonicNanos();
    proposed.accept(position);
  }

  private static long floor(List<? extends JournalView> views) {
    return views.stream().mapToLong(JournalView::historyFloor).min().orElse(Long.MAX_VALUE);
  }

  private void measure() {
    boolean wasShort = isCapShort;
    isCapShort = retention.isCapShort();
    measured = new Measured(all.segmentBytes(), all.oldestWallMillis(from()));
    if (isCapShort && !wasShort) {
      reports.capIsShort(measured.segmentBytes());
    }
  }

  /** {@return what the last review has found} */
  Measured measured() {
    return measured;
  }

  /** {@return why more or less history is kept than the options say} */
  List<HealthReason> troubles() {
    List<HealthReason> troubles = new ArrayList<>();
    if (isCapShort) {
      troubles.add(reports.shortCap(measured.segmentBytes()));
    }
    Held now = held;
    if (now.segments() > 0 && time.monotonicNanos() - now.sinceNanos() >= HELD_NANOS_MAX) {
      troubles.add(reports.held(now.segments()));
    }
    return troubles;
  }
}
