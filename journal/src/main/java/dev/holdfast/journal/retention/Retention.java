package dev.holdfast.journal.retention;

import dev.holdfast.TimeSource;
import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.journal.file.SegmentHistory;
import dev.holdfast.journal.file.SegmentHistory.Begun;
import dev.holdfast.journal.file.Segments;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Decides which segments are removed: always the oldest ones, so that the rest has no gap. Confined
 * to one thread.
 */
public final class Retention {

  /** No time: there is nothing to wait for. */
  public static final long NEVER = -1;

  private final Limits kept;
  private final Segments segments;
  private final SegmentHistory history;
  private final SettledClock clock;

  public Retention(Limits kept, Segments segments, SegmentHistory history, TimeSource time) {
    this.kept = kept;
    this.segments = segments;
    this.history = history;
    // The newest segment shows how far time was when the journal was written last.
    long nowMillis = time.wallMillis();
    long begunMillis =
        segments.isEmpty() ? nowMillis : history.begun(segments.newest()).getFirst().wallMillis();
    this.clock = new SettledClock(time, begunMillis > nowMillis ? nowMillis : begunMillis);
  }

  /**
   * How much is kept that no view needs.
   *
   * @param windowMillis the time a record is kept, if the size allows; 0 for none
   * @param bytesMax the size of all segments together; the largest long for no limit
   */
  public record Limits(long windowMillis, long bytesMax) {

    boolean keepsNone() {
      return windowMillis == 0;
    }
  }

  /**
   * A segment that may be removed.
   *
   * @param firstPosition its first position
   * @param isEarly whether its records are not too old: only the cap on the size removes it
   */
  public record Expired(long firstPosition, boolean isEarly) {}

  /**
   * Returns the segments that may be removed.
   *
   * @param mark no view needs records before it
   * @param floor records from here on are needed for a restore
   * @return the segments, the oldest first
   */
  public List<Expired> expired(long mark, long floor) throws IOException {
    List<Long> free = segments.entirelyBefore(Math.min(mark, floor));
    if (kept.keepsNone() || free.isEmpty()) {
      return free.stream().map(each -> new Expired(each, /* isEarly= */ false)).toList();
    }
    long tooManyBytes = kept.bytesMax() == Long.MAX_VALUE ? 0 : bytes() - kept.bytesMax();
    long nowMillis = clock.millis();
    long oldestMillis = nowMillis - kept.windowMillis();
    List<Expired> expired = new ArrayList<>();
    for (long segment : free) {
      if (segments.after(segment) == null) {
        break;
      }
      boolean isEarly = history.fullMillis(segment, nowMillis) > oldestMillis;
      if (isEarly && tooManyBytes <= 0) {
        break;
      }
      tooManyBytes -= history.bytesOf(segment);
      expired.add(new Expired(segment, isEarly));
    }
    return expired;
  }

  /**
   * Returns when to check again even without a write: the next segment is too old then, or a step
   * of the clock counts.
   *
   * @return nanoseconds from now; {@link #NEVER} if only the newest segment exists, which stays
   */
  public long nanosUntilNextExpiry() {
    long windowMillis = kept.windowMillis();
    List<Long> all = segments.from(0);
    if (kept.keepsNone() || all.size() < 2) {
      return NEVER;
    }
    long nowMillis = clock.millis();
    long fullMillis = history.fullMillis(all.getFirst(), nowMillis);
    long nanos =
        nanosFor(fullMillis > nowMillis ? windowMillis : windowMillis - (nowMillis - fullMillis));
    long leastNanos = TimeUnit.MILLISECONDS.toNanos(JournalBounds.LOOK_MILLIS_MIN);
    return Math.min(nanos, Math.max(clock.nanosUntilStep(), leastNanos));
  }

  /** {@return when to check again after a failed check; {@link #NEVER} without a window} */
  public long nanosUntilNextAttempt() {
    return kept.keepsNone() ? NEVER : nanosFor(0);
  }

  /**
   * Returns whether the cap drops history inside the window within a day, if as much is written as
   * in the last day. The first hour of a journal says nothing about its rate.
   */
  public boolean isCapShort() {
    List<Begun> begun = history.begun(0);
    if (kept.keepsNone() || kept.bytesMax() == Long.MAX_VALUE || begun.size() < 2) {
      return false;
    }
    long nowMillis = clock.millis();
    long dayMillis = JournalBounds.FORECAST_MILLIS;
    long seenMillis = Math.min(dayMillis, nowMillis - begun.getFirst().wallMillis());
    if (seenMillis < JournalBounds.FORECAST_SEEN_MILLIS_MIN) {
      return false;
    }
    long bytes = begun.getLast().bytes();
    long written = 0;
    for (int each = 0; each + 1 < begun.size(); each++) {
      long fullMillis = begun.get(each + 1).wallMillis();
      boolean isExpired = fullMillis + kept.windowMillis() <= nowMillis + dayMillis;
      bytes += isExpired ? 0 : begun.get(each).bytes();
      written += fullMillis > nowMillis - dayMillis ? begun.get(each).bytes() : 0;
    }
    return bytes + (double) written * dayMillis / seenMillis > kept.bytesMax();
  }

  private long nanosFor(long millis) {
    long leastMillis =
        Math.max(
            JournalBounds.LOOK_MILLIS_MIN, kept.windowMillis() / JournalBounds.LOOKS_IN_WINDOW_MAX);
    return TimeUnit.MILLISECONDS.toNanos(
        Math.min(Math.max(millis, leastMillis), JournalBounds.LOOK_MILLIS_MAX));
  }

  /** {@return the size of all segments together} */
  private long bytes() throws IOException {
    long bytes = 0;
    for (long segment : segments.from(0)) {
      bytes += history.bytesOf(segment); // asked again each time: a purge makes segments shorter
    }
    return bytes;
  }
}
