package dev.holdfast.journal.retention;

import dev.holdfast.TimeSource;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.spi.LogEvent;
import java.lang.System.Logger;
import org.jspecify.annotations.Nullable;

/** Says that a journal gives less history than it should, or more. */
public final class HistoryReports {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final Segments segments;
  private final long bytesMax;
  private final TimeSource time;

  private long droppedEarly; // segments since the last report
  private boolean reported;
  private long reportNanos;

  public HistoryReports(Segments segments, long bytesMax, TimeSource time) {
    this.segments = segments;
    this.bytesMax = bytesMax;
    this.time = time;
  }

  /**
   * A segment was dropped before the end of the window. At most one line a minute: with a low cap
   * and many writes, a segment is dropped each second.
   *
   * @param oldest the position from which on there is history
   */
  public void droppedEarly(@Nullable Long oldest) {
    droppedEarly++;
    long now = time.monotonicNanos();
    if (reported && now - reportNanos < JournalBounds.REPORT_NANOS) {
      return;
    }
    reported = true;
    reportNanos = now;
    long dropped = droppedEarly;
    droppedEarly = 0;
    LOG.log(
        LogEvent.HISTORY_DROPPED.level(),
        () ->
            LogEvent.HISTORY_DROPPED.line(
                "Segments of history dropped before the end of the recovery window in "
                    + segments.directory()
                    + ": "
                    + dropped
                    + ". The journal keeps at most "
                    + bytesMax
                    + " bytes; objects can be restored to position "
                    + oldest
                    + " or later."));
  }

  /** Logs that the cap is too small. */
  public void capIsShort(long segmentBytes) {
    LOG.log(
        LogEvent.HISTORY_SHORT.level(),
        () -> LogEvent.HISTORY_SHORT.line(shortage(segmentBytes) + " in " + segments.directory()));
  }

  /** {@return the reason that the cap is too small, for the health of a runtime} */
  public HealthReason shortCap(long segmentBytes) {
    return new HealthReason(
        HealthReason.HISTORY_SHORT, HealthState.DEGRADED, shortage(segmentBytes) + ".");
  }

  /** {@return the reason that history stays that should not, for the health of a runtime} */
  public HealthReason held(int count) {
    return new HealthReason(
        HealthReason.HISTORY_HELD,
        HealthState.DEGRADED,
        "History that should be dropped stays on all nodes, segments in "
            + segments.directory()
            + ": "
            + count
            + ". A member of the cluster may lack it: it is away, or this node has not heard of it."
            + " Start that node: after an hour it has to fetch all files of the objects instead.");
  }

  private String shortage(long segmentBytes) {
    return "The journal keeps at most "
        + bytesMax
        + " bytes and has "
        + segmentBytes
        + "; at the present rate, history inside the recovery window is dropped within a day. Raise"
        + " RuntimeOptions.historyBytesMax, or shorten the window";
  }
}
