package dev.holdfast.runtime.internal.instance;

import dev.holdfast.runtime.internal.jfr.FlightRecording;
import dev.holdfast.runtime.internal.jfr.JournalStallEvent;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.LogEvent;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Detects a journal that stands still because a disk hangs, and one that has failed, in case the
 * thread that met the failure could not reset the instances. The output gate itself has no
 * time-out, because nothing could be taken back when it is over; instead the standstill is
 * reported, so that operators see why callers get no reply. Thread-safe: the sweeper's walk looks,
 * the close ends it, and any thread may ask.
 */
final class JournalWatch {

  private static final long NOT_SEEN = -1;

  private final EngineParts parts;
  private final Duration limit;
  private final long ticksMax;

  /** Where the journal was when it was first seen with records that wait. */
  private long stuckPosition = NOT_SEEN;

  private long firstTick;

  /** The event of a stall that may have begun; null if nobody records it. */
  private @Nullable JournalStallEvent event;

  /** Written under the lock of this watch, read without it; null while the journal moves. */
  private volatile @Nullable Stall stall;

  /** A stall that was reported, with the positions that were not durable then. */
  private record Stall(long durable, long last) {}

  /** Where the journal was seen to stand, with records that wait; null while it moves. */
  private volatile @Nullable Standstill standstill;

  private record Standstill(long position, long sinceNanos) {}

  /**
   * Creates a watch.
   *
   * @param parts the journal, and where to report
   * @param limit how long it may stand still
   * @param ticksMax that time in ticks of the walk
   */
  JournalWatch(EngineParts parts, Duration limit, long ticksMax) {
    this.parts = parts;
    this.limit = limit;
    this.ticksMax = ticksMax;
  }

  /** {@return whether a stall was reported and the journal has not moved since; takes no lock} */
  boolean isStalled() {
    Stall reported = stall;
    return reported != null && parts.journal().durablePosition() == reported.durable();
  }

  void look(long tick) {
    parts.failure().stopIfEngineFailed();
    Journal journal = parts.journal();
    long durable = journal.durablePosition();
    long last = journal.lastPosition();
    RuntimeException failure = journal.failure();
    Stall before = stall;
    if (failure != null) {
      parts.journalFailed(failure); // by now all know, unless no thread could be started
    }
    if (last <= durable || failure != null) {
      end(failure == null ? JournalStallEvent.End.MOVED : JournalStallEvent.End.FAILED);
    } else if (isNewlyStalled(tick, durable, last)) {
      report(durable, last);
    }
    // Without the lock: a logger is code of the application.
    if (before != null && failure == null && durable != before.durable()) {
      parts.report(
          LogEvent.JOURNAL_RESUMED,
          "The journal makes records durable again; the replies that waited for them leave.",
          null);
    }
  }

  private synchronized boolean isNewlyStalled(long tick, long durable, long last) {
    if (durable != stuckPosition) {
      end(JournalStallEvent.End.MOVED);
      stuckPosition = durable;
      firstTick = tick;
      event = FlightRecording.isPossible() ? JournalStallEvent.beginIfOn() : null;
      standstill = new Standstill(durable, parts.time().monotonicNanos());
    } else if (stall == null && tick - firstTick >= ticksMax) {
      stall = new Stall(durable, last);
      return true;
    }
    return false;
  }

  /** {@return how long the journal has made nothing durable while records wait; takes no lock} */
  long stalledNanos() {
    Standstill seen = standstill;
    Journal journal = parts.journal();
    if (seen == null
        || journal.durablePosition() != seen.position()
        || journal.lastPosition() <= seen.position()) {
      return 0;
    }
    return parts.time().monotonicNanos() - seen.sinceNanos();
  }

  /** Ends the stall, if there is one: the runtime is closed. */
  void close() {
    end(JournalStallEvent.End.CLOSED);
  }

  private synchronized void end(JournalStallEvent.End how) {
    Stall ended = stall;
    if (ended != null && event != null) {
      event.end(how, ended.durable() + 1, ended.last());
    }
    stall = null;
    event = null;
    stuckPosition = NOT_SEEN;
    standstill = null;
  }

  private void report(long durable, long last) {
    parts.report(
        LogEvent.JOURNAL_STALLED,
        "The journal has made nothing durable for more than "
            + limit
            + "; all replies that depend on positions "
            + (durable + 1)
            + " to "
            + last
            + " wait for the disk.",
        null);
  }
}
