package dev.holdfast.journal.file;

import java.util.concurrent.TimeUnit;

/** The bounds of the journal: what it keeps, how much it does at once, and how long it waits. */
public final class JournalBounds {

  /** How long a look at the lock file is believed: to open a runtime takes longer. */
  public static final long OWNERSHIP_BELIEVED_NANOS = 1_000_000;

  /** The first segment: a journal that never grows should not cost a disk 64 MiB of zeros. */
  public static final long FIRST_SEGMENT_BYTES = 4L << 20;

  /** How many spare segments are kept: the next one. */
  static final int SPARES_MAX = 1;

  /** How many zeros of a new segment are synced at a time. */
  static final int ZEROS_SYNCED_BYTES = 4 << 20;

  /** Of how many groups of the newest segment it is known where they begin. */
  public static final int GROUP_BEGINS_MAX = 64;

  /** How much is written before the history is brought up to date: 20 ms of work. */
  public static final long UNINDEXED_BYTES_MAX = 4L << 20;

  /**
   * How long after the last look old segments are looked at again though nothing was written: views
   * then save what they have left of them, and the journal becomes small.
   */
  public static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How often within the window it is looked again at what a view or a restore holds back. */
  public static final int LOOKS_IN_WINDOW_MAX = 64;

  /** The shortest time from one such look to the next. */
  public static final long LOOK_MILLIS_MIN = 1_000;

  /** The longest: a clock that was set is found out within a day. */
  public static final long LOOK_MILLIS_MAX = TimeUnit.DAYS.toMillis(1);

  /** How much of the indexes of old segments stays in memory. */
  static final long INDEX_BYTES_KEPT_MAX = 48L << 20;

  /** How long the clock must have been ahead before its time counts. */
  public static final long CLOCK_PROBATION_NANOS = TimeUnit.HOURS.toNanos(1);

  /** Less is no step, but a clock that is being corrected. */
  public static final long CLOCK_STEP_MILLIS_MIN = 1_000;

  private JournalBounds() {}
}
