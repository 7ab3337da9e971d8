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
 * Goes through all alarms to find those that stand still: a clock that was years ahead for a moment
 * has set them to times that are years ahead now (see {@link AlarmRules#reckon}). They are at the
 * end of the index, which nobody else reads before they are due.
 *
 * <p>It goes round when alarms begin to fire, as the clock may have been put right while the
 * runtime was closed; when the clock goes back; and once more an hour after that, for turns that
 * began under the wrong clock and have ended since. It reads a page a second, so that a million
 * alarms take four minutes and nobody notices.
 *
 * <p>What it finds is run like an alarm that is due; the engine looks at what the object has
 * stored, and sets that right.
 *
 * <p>Guarded by the lock of its {@link Dispatcher}.
 */
final class Patrol {

  private final List<String> namespaces;
  private final int foundMax;

  /** What was found and is still to be run. */
  private final Deque<AlarmEntry> found = new ArrayDeque<>();

  // The last look at the clock.
  private long wallMillis;
  private long monotonicNanos;

  /** Which namespace is read next; the number of all of them if no round is under way. */
  private int namespace;

  /** The last entry of the namespace that was read; null at its beginning. */
  private @Nullable AlarmEntry after;

  private boolean isReading;

  /** Whether the clock went back while a round was under way: it does not count. */
  private boolean beginsAnew;

  private long pageAtNanos;

  /** When the second round begins; null if there is none to come. */
  private @Nullable Long secondAtNanos;

  /**
   * Creates a patrol.
   *
   * @param namespaces where it looks
   * @param foundMax it reads no more while so many alarms wait to be run
   */
  Patrol(Collection<String> namespaces, int foundMax) {
    this.namespaces = List.copyOf(namespaces);
    this.foundMax = foundMax;
    this.namespace = this.namespaces.size();
  }

  /**
   * A page of the index to be read.
   *
   * @param namespace which namespace
   * @param after the page begins behind this entry; null for the first
   */
  record Page(String namespace, @Nullable AlarmEntry after) {}

  /** Plans the first round: later, as those who open have better to do than read to the end. */
  void start(long nowMillis, long nowNanos, long delayNanos) {
    wallMillis = nowMillis;
    monotonicNanos = nowNanos;
    begin(nowNanos + delayNanos);
  }

  /** Looks at the clock: if it went back, a round begins. */
  void look(long nowMillis, long nowNanos) {
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

  /** {@return the page to read now, after which is {@link #endReading}; null for none} */
  @Nullable Page beginReading(long nowNanos) {
    if (isReading || !isUnderWay() || pageAtNanos - nowNanos > 0 || found.size() >= foundMax) {
      return null;
    }
    Page page = new Page(namespaces.get(namespace), after);
    isReading = true;
    return page;
  }

  /**
   * Takes what a page has.
   *
   * @param standing the alarms that stand still
   * @param last the last entry of the page; null if there is none behind it
   */
  void endReading(List<AlarmEntry> standing, @Nullable AlarmEntry last, long nowNanos) {
    isReading = false;
    found.addAll(standing);
    if (beginsAnew) {
      beginsAnew = false;
      return;
    }
    after = last;
    if (last == null) {
      namespace++;
    }
    pageAtNanos = last == null ? nowNanos : nowNanos + AlarmBounds.PATROL_PAGE_NANOS;
  }

  /** Gives up a page, which is read again later. */
  void failReading(long nowNanos, long delayNanos) {
    isReading = false;
    beginsAnew = false;
    pageAtNanos = nowNanos + delayNanos;
  }

  /** {@return how long until there is something to read; the largest number if there is nothing} */
  long nanosToNext(long nowNanos) {
    long nanos = secondAtNanos == null ? Long.MAX_VALUE : secondAtNanos - nowNanos;
    // While what was found is full, the end of each handler is a reason to look.
    if (isUnderWay() && !isReading && found.size() < foundMax) {
      nanos = Math.min(nanos, pageAtNanos - nowNanos);
    }
    return Math.max(0, nanos);
  }

  /** Has an alarm run that stands still. */
  void add(AlarmEntry standing) {
    found.add(standing);
  }

  /** {@return the first alarm to be run whose object runs none; null if there is none} */
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

  /** {@return those of some alarms that stand still} */
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
