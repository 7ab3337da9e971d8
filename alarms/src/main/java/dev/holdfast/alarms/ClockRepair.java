package dev.holdfast.alarms;

import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Repairs alarms after a clock fault: searches all alarms for stuck ones, which a clock that was
 * years ahead for a moment has set to times that are now years ahead (see {@link
 * AlarmRules#reckon}). They are at the end of the index, which no other code reads before they are
 * due.
 *
 * <p>A round starts when alarms begin to fire, because the clock may have been corrected while the
 * runtime was closed; when the clock goes back; and once more an hour after that, for turns that
 * began under the wrong clock and have ended since. It reads one page per second, so a million
 * alarms take four minutes at negligible load.
 *
 * <p>A stuck alarm is run like an alarm that is due; the engine reads the alarm that the object has
 * stored, and corrects it.
 *
 * <p>Guarded by the lock of its {@link Dispatcher}.
 */
final class ClockRepair {

  private final List<String> namespaces;
  private final int foundMax;

  /** Stuck alarms that are not yet run. */
  private final Deque<AlarmEntry> found = new ArrayDeque<>();

  // The last reading of the clock.
  private long wallMillis;
  private long monotonicNanos;

  /**
   * The index of the namespace to read next; the number of namespaces if no round is in progress.
   */
  private int namespace;

  /** The last entry read of the namespace; null at its beginning. */
  private @Nullable AlarmEntry after;

  private boolean isReading;

  /** Whether the clock went back during a round: that round does not count. */
  private boolean beginsAnew;

  private long pageAtNanos;

  /** The start of the second round; null if none is pending. */
  private @Nullable Long secondAtNanos;

  /**
   * Creates the clock repair.
   *
   * @param namespaces the namespaces to search
   * @param foundMax reading pauses while this many stuck alarms wait to be run
   */
  ClockRepair(Collection<String> namespaces, int foundMax) {
    this.namespaces = List.copyOf(namespaces);
    this.foundMax = foundMax;
    this.namespace = this.namespaces.size();
  }

  /**
   * A page of the index to be read.
   *
   * @param namespace which namespace
   * @param after the page begins after this entry; null for the first page
   */
  record Page(String namespace, @Nullable AlarmEntry after) {}

  /**
   * Schedules the first round: later, because reading the whole index would slow down the opening.
   */
  void start(long nowMillis, long nowNanos, long delayNanos) {
    wallMillis = nowMillis;
    monotonicNanos = nowNanos;
    begin(nowNanos + delayNanos);
  }

  /** Checks the clock: if it went back, a round begins. */
  void look(long nowMillis, long nowNanos) {
    assert nowNanos - monotonicNanos >= 0;
    long passedMillis = TimeUnit.NANOSECONDS.toMillis(nowNanos - monotonicNanos);
    boolean wentBack = nowMillis - wallMillis < passedMillis - AlarmBounds.BACK_MILLIS_MIN;
    wallMillis = nowMillis;
    monotonicNanos = nowNanos;
    if (wentBack) {
      begin(nowNanos);
      secondAtNanos = nowNanos + AlarmBounds.SECOND_ROUND_NANOS;
    } else if (secondAtNanos != null && secondAtNanos - nowNanos <= 0) {
      begin(nowNanos);
      secondAtNanos = null;
    }
  }

  private void begin(long atNanos) {
    beginsAnew = isReading;
    namespace = 0;
    after = null;
    pageAtNanos = atNanos;
  }

  boolean isReading() {
    return isReading;
  }

  private boolean isUnderWay() {
    return namespace < namespaces.size();
  }

  /** {@return the page to read now; null for none} Call {@link #endReading} after it was read. */
  @Nullable Page beginReading(long nowNanos) {
    if (isReading || !isUnderWay() || pageAtNanos - nowNanos > 0 || found.size() >= foundMax) {
      return null;
    }
    Page page = new Page(namespaces.get(namespace), after);
    isReading = true;
    return page;
  }

  /**
   * Adds the stuck alarms of a page.
   *
   * @param standing the stuck alarms
   * @param last the last entry of the page; null if no entry follows it
   */
  void endReading(List<AlarmEntry> standing, @Nullable AlarmEntry last, long nowNanos) {
    assert isReading;
    isReading = false;
    found.addAll(standing);
    if (beginsAnew) {
      beginsAnew = false;
      return;
    }
    after = last;
    if (last == null) {
      namespace++;
      assert namespace <= namespaces.size();
    }
    pageAtNanos = last == null ? nowNanos : nowNanos + AlarmBounds.REPAIR_PAGE_NANOS;
  }

  /** Ends a failed read; the page is read again later. */
  void failReading(long nowNanos, long delayNanos) {
    assert isReading;
    isReading = false;
    beginsAnew = false;
    pageAtNanos = nowNanos + delayNanos;
  }

  /** {@return the time until a page is to be read; the largest long if there is none} */
  long nanosToNext(long nowNanos) {
    long nanos = secondAtNanos == null ? Long.MAX_VALUE : secondAtNanos - nowNanos;
    // While {@code found} is full, the end of each handler triggers a check.
    if (isUnderWay() && !isReading && found.size() < foundMax) {
      nanos = Math.min(nanos, pageAtNanos - nowNanos);
    }
    return Math.max(0, nanos);
  }

  /** Queues a stuck alarm to be run. */
  void add(AlarmEntry standing) {
    found.add(standing);
  }

  /** {@return the first queued alarm whose object has no running handler; null if none} */
  @Nullable AlarmEntry first(Set<ObjectKey> running) {
    for (AlarmEntry entry : found) {
      if (!running.contains(entry.key())) {
        return entry;
      }
    }
    return null;
  }

  void remove(AlarmEntry entry) {
    found.remove(entry);
  }

  /** {@return the stuck alarms among the given ones} */
  static List<AlarmEntry> standing(
      List<AlarmEntry> entries, AlarmRules rules, Alarms.Namespace namespace, long nowMillis) {
    List<AlarmEntry> standing = new ArrayList<>();
    for (AlarmEntry entry : entries) {
      if (rules.standsStill(entry.alarm(), namespace.policy(), nowMillis)) {
        standing.add(entry);
      }
    }
    return standing;
  }
}
