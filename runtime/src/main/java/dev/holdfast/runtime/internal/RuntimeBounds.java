package dev.holdfast.runtime.internal;

import java.time.Duration;

/**
 * The limits of the engine that no option changes: what it refuses, and what it keeps or does at
 * most.
 */
public final class RuntimeBounds {

  // ---- Calls and sections -------------------------------------------------------------------

  /**
   * Maximum number of calls that wait for each other. They are nested on one stack, and a stack
   * that runs out does so anywhere, also in the gates; this prevents it. With a stack of 1 MiB each
   * object has 8 KiB, of which the engine takes 2.
   */
  public static final int CALLS_NESTED_MAX = 128;

  /** Maximum depth of nested critical sections; the figure of the reference runtime. */
  public static final int SECTIONS_NESTED_MAX = 64;

  // ---- Storage ------------------------------------------------------------------------------

  /** Maximum length of the name of a schedule, in bytes of UTF-8. */
  public static final int SCHEDULE_NAME_BYTES_MAX = 128;

  /**
   * Maximum length of a cron expression. Every minute of an hour, listed one by one, takes 170;
   * each batch that has the object's alarms repeats it.
   */
  public static final int CRON_EXPRESSION_LENGTH_MAX = 1_024;

  /** Maximum length of a stored schedule: its rule for missed runs, its zone, the expression. */
  public static final int SCHEDULE_LENGTH_MAX = CRON_EXPRESSION_LENGTH_MAX + 128;

  /**
   * Periods are shorter than this: the first run of a longer one is after the last time that is
   * supported, at whatever time it starts.
   */
  public static final Duration PERIOD_END = Duration.ofDays(293 * 366);

  /** Maximum scale of a decimal number that is bound as plain digits, without an exponent. */
  public static final int PLAIN_SCALE_MAX = 1_000;

  /** Up to this number of columns, a search of all is faster than a map for one result. */
  public static final int COLUMNS_SCANNED_MAX = 8;

  /** Number of pairs in the first part of a stream: many callers take only the first pairs. */
  public static final int FIRST_PAIRS = 16;

  /**
   * The length, in bytes of UTF-8, up to which an object id keeps its name. Longer names lead to an
   * object, too, but its id has no name.
   */
  public static final int KNOWN_NAME_BYTES_MAX = 1_024;

  /** Number of objects that an operator's walk through a namespace reads from a catalog at once. */
  public static final int CATALOG_PAGE = 1_000;

  /** Number of objects whose migrations are made durable, and reported, together. */
  public static final int MIGRATED_WITH_ONE_SYNC = 100;

  // ---- History ------------------------------------------------------------------------------

  /** Maximum number of entries in one page of an object's history. */
  public static final int HISTORY_PAGE_MAX = 1_000;

  /** A comparison keeps longer keys of rows as their digest, which has this many characters. */
  public static final int IDENTITY_LENGTH_MAX = 64;

  /** Of the values that differ between two states, an operator gets as many bytes at most. */
  public static final long COMPARED_BYTES_MAX = 32L << 20;

  // ---- Events and actions -------------------------------------------------------------------

  /** Number of actions of an object that may wait before a turn that adds one waits. */
  public static final int ACTIONS_WAITING_MAX = 1_000;

  /** Maximum size of an event as it is stored, in bytes. */
  public static final int EVENT_BYTES_MAX = 128 << 10;

  /** Maximum size of the name of a topic or a consumer, in bytes of UTF-8. */
  public static final int TOPIC_BYTES_MAX = 255;

  /** How much of the journal a consumer reads before it delivers, in bytes. */
  public static final int EVENTS_READ_BYTES = 1 << 20;

  // ---- Time and reports ---------------------------------------------------------------------

  /** Number of looks at an idle object before its idle time ends. */
  public static final int LOOKS_IN_IDLE_TIME = 8;

  /** Number of looks at a turn before it is reported as long. */
  public static final int LOOKS_IN_TURN_WARNING = 4;

  /** The time in which at most a few failures of one kind in one namespace are logged. */
  public static final long LOG_WINDOW_NANOS = Duration.ofMinutes(1).toNanos();

  private RuntimeBounds() {}
}
