package dev.holdfast.alarms;

import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts the alarms of one namespace that are pending, alarms that are due, and those that were
 * given up.
 *
 * <p>Each change of an object says which alarms it had and which it has, so both counts follow it.
 * Time makes alarms due, too. The next ones are therefore in memory, in a separate window: an alarm
 * leaves it when its time comes, however long it then waits for its handler, so no backlog fills
 * the window.
 *
 * <p>Guarded by the lock of its {@link Dispatcher}.
 */
final class AlarmCount {

  private final NamespaceQueue upcoming;
  private long pending;
  private long due;
  private long abandoned;

  /** Pending alarms up to here are counted as due, no others; null if none is counted. */
  private @Nullable AlarmEntry passed;

  /**
   * Creates a count that knows of no due alarm.
   *
   * @param namespace the namespace
   * @param pending how many alarms are pending in the index
   * @param abandoned how many were given up and are still in the index
   */
  AlarmCount(String namespace, long pending, long abandoned) {
    this.upcoming = new NamespaceQueue(namespace, 2 * AlarmBounds.PAGE);
    this.pending = pending;
    this.abandoned = abandoned;
  }

  /** {@return the alarms after those that are counted as due} */
  NamespaceQueue upcoming() {
    return upcoming;
  }

  /** {@return how many were given up and are still there} */
  long abandoned() {
    return abandoned;
  }

  AlarmService.Counts now() {
    return new AlarmService.Counts(pending, due);
  }

  /**
   * Follows a change of an object. If memory runs out, the window and the count of due alarms are
   * read again.
   */
  void changed(ObjectKey key, List<AlarmRecord> after, List<AlarmRecord> before) {
    pending += countOf(after, State.PENDING) - countOf(before, State.PENDING);
    abandoned += countOf(after, State.ABANDONED) - countOf(before, State.ABANDONED);
    boolean done = false;
    try {
      List<AlarmRecord> toCome = toCome(key, after);
      upcoming.changed(key, toCome);
      due +=
          countOf(after, State.PENDING)
              - toCome.size()
              - (countOf(before, State.PENDING) - toCome(key, before).size());
      done = true;
    } finally {
      if (!done) {
        upcoming.forget();
      }
    }
  }

  private static int countOf(List<AlarmRecord> alarms, State state) {
    int count = 0;
    for (AlarmRecord alarm : alarms) {
      count += alarm.state() == state ? 1 : 0;
    }
    return count;
  }

  /** {@return the pending ones that are not counted as due} */
  private List<AlarmRecord> toCome(ObjectKey key, List<AlarmRecord> alarms) {
    AlarmEntry counted = passed;
    List<AlarmRecord> found = new ArrayList<>(alarms.size());
    for (AlarmRecord alarm : alarms) {
      if (alarm.state() == State.PENDING
          && (counted == null
              || AlarmEntry.ORDER.compare(new AlarmEntry(key, alarm), counted) > 0)) {
        found.add(alarm);
      }
    }
    return found;
  }

  /**
   * Counts the alarms as due whose time has come, as far as the window reaches. Starts again when
   * the window has lost its place, and when the clock was set back: the alarms between the two
   * times are no longer in memory.
   */
  void passTo(long nowMillis) {
    AlarmEntry now = upcoming.lastAt(nowMillis);
    if (passed != null && AlarmEntry.ORDER.compare(now, passed) < 0) {
      upcoming.forget();
    }
    AlarmEntry known = upcoming.completeTo();
    if (known == null) {
      passed = null;
      due = 0;
      return;
    }
    AlarmEntry to = AlarmEntry.ORDER.compare(known, now) < 0 ? known : now;
    if (passed != null && AlarmEntry.ORDER.compare(to, passed) <= 0) {
      return;
    }
    for (AlarmEntry first = upcoming.first();
        first != null && AlarmEntry.ORDER.compare(first, to) <= 0;
        first = upcoming.first()) {
      // Counted before it is removed: that may fail, and then the window is read from the start.
      passed = first;
      due++;
      upcoming.remove(first);
    }
    passed = to;
  }
}
