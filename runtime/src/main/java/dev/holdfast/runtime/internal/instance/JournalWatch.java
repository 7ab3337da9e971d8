package dev.holdfast.runtime.internal.instance;

import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.spi.Journal;
import java.time.Duration;

/**
 * Detects a journal that stands still because a disk hangs, and one that has failed, in case the
 * thread that met the failure could not reset the instances. The output gate has no time-out of its
 * own, because nothing could be taken back when it is over; instead the standstill is reported, so
 * that operators see why callers get no reply. Confined to the sweeper's walk.
 */
final class JournalWatch {

  private static final long NOT_SEEN = -1;

  private final EngineParts parts;
  private final Duration limit;
  private final long ticksMax;

  /** Where the journal was when it was first seen with records that wait. */
  private long stuckPosition = NOT_SEEN;

  private long firstTick;
  private boolean reported;

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

  void look(long tick) {
    parts.failure().stopIfEngineFailed();
    Journal journal = parts.journal();
    long durable = journal.durablePosition();
    long last = journal.lastPosition();
    RuntimeException failure = journal.failure();
    if (failure != null) {
      parts.journalFailed(failure); // by now all know, unless no thread could be started
    }
    if (last <= durable || failure != null) {
      stuckPosition = NOT_SEEN;
    } else if (durable != stuckPosition) {
      stuckPosition = durable;
      firstTick = tick;
      reported = false;
    } else if (!reported && tick - firstTick >= ticksMax) {
      reported = true;
      report(durable, last);
    }
  }

  private void report(long durable, long last) {
    parts.warn(
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
