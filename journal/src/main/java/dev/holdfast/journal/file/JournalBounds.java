package dev.holdfast.journal.file;

import java.util.concurrent.TimeUnit;

/** The limits of the journal: what it keeps, how much it does at once, and how long it waits. */
public final class JournalBounds {

  /** How long a check of the lock file is trusted: opening a runtime takes longer. */
  public static final long OWNERSHIP_BELIEVED_NANOS = 1_000_000;

  /** The first segment: a journal that never grows should not cost a disk 64 MiB of zeros. */
  public static final long FIRST_SEGMENT_BYTES = 4L << 20;

  /** A segment that a purge begins: thousands of them must not cost 64 MiB of zeros each. */
  public static final long SHORT_SEGMENT_BYTES = 256L << 10;

  /** The size beyond which a journal that is copied begins another segment. */
  public static final long COPIED_SEGMENT_BYTES = 64L << 20;

  /** The number of spare segments kept: the next one. */
  static final int SPARES_MAX = 1;

  /** The number of zero bytes of a new segment synced at a time. */
  static final int ZEROS_SYNCED_BYTES = 4 << 20;

  /** The number of groups of the newest segment whose start is remembered. */
  public static final int GROUP_BEGINS_MAX = 64;

  /** Bytes written before the history is brought up to date: 20 ms of work. */
  public static final long UNINDEXED_BYTES_MAX = 4L << 20;

  /**
   * Time after the last review at which old segments are reviewed again even without a write: views
   * then save what they still need of them, and the journal becomes small.
   */
  public static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Time after which a purge looks again whether views need what it is to remove. */
  public static final long PURGE_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How far ahead a cap that is too small is reported. */
  public static final long FORECAST_MILLIS = TimeUnit.DAYS.toMillis(1);

  /** A journal is at least this old before its rate is known. */
  public static final long FORECAST_SEEN_MILLIS_MIN = TimeUnit.HOURS.toMillis(1);

  /** The time in which one line says that history was dropped early. */
  public static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** How often within the window segments that a view or a restore holds back are checked again. */
  public static final int LOOKS_IN_WINDOW_MAX = 64;

  /** The shortest time between two such checks. */
  public static final long LOOK_MILLIS_MIN = 1_000;

  /** The longest: a clock that was set is detected within a day. */
  public static final long LOOK_MILLIS_MAX = TimeUnit.DAYS.toMillis(1);

  /** Maximum bytes of old segments' indexes in memory. */
  static final long INDEX_BYTES_KEPT_MAX = 48L << 20;

  /** How long the clock must have been ahead before its time is trusted. */
  public static final long CLOCK_PROBATION_NANOS = TimeUnit.HOURS.toNanos(1);

  /** A smaller difference is not a step but a clock that is being corrected. */
  public static final long CLOCK_STEP_MILLIS_MIN = 1_000;

  private JournalBounds() {}
}
