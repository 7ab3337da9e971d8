package dev.holdfast.http.internal.report;

import java.time.Duration;

/** The bounds of a page monitor: what visitors and fetched servers may make it hold or do. */
public final class MonitorBounds {

  /** Scripts that are fetched at once: each holds a thread and its content. */
  public static final int FETCHES_MAX = 4;

  /** Scripts of which it is remembered that they were fetched lately. */
  public static final int ASKED_MAX = 10_000;

  /** Reports that are read from one body; the rest is dropped. */
  public static final int REPORTS_MAX = 100;

  /** The longest URL of a report that is kept, in characters. */
  public static final int REPORTED_URL_LENGTH_MAX = 2_048;

  /** The age of a report, as its browser states it, that is believed. */
  public static final long REPORT_AGE_MILLIS_MAX = Duration.ofDays(1).toMillis();

  /** Reports per second that a zone accepts; more are dropped. */
  public static final int REPORTS_PER_SECOND_MAX = 5_000;

  /** Reports per second of one source that a zone accepts whole. */
  public static final int REPORTS_OF_SOURCE_PER_SECOND_MAX = REPORTS_PER_SECOND_MAX / 5;

  /** Reports per second of one source that a zone accepts, of each body only the first. */
  public static final int SHORT_REPORTS_OF_SOURCE_PER_SECOND_MAX = REPORTS_PER_SECOND_MAX / 2;

  /** Zones whose rate of reports is recorded. */
  public static final int RATES_MAX = 100_000;

  /** The longest date of a cookie that is read, in characters. */
  public static final int COOKIE_DATE_LENGTH_MAX = 200;

  /** Cookies that are read from one header, and headers that are read. */
  public static final int COOKIES_MAX = 100;

  /** Distinct cookies of a zone; more are not recorded until old ones are deleted. */
  public static final int COOKIES_KEPT_MAX = 5_000;

  /**
   * Cookies of a zone that wait to be stored: that responses set, and as many that visitors send.
   */
  public static final int COOKIES_NOTED_MAX = 250;

  /** Cookies of all zones that wait to be stored; above it, some are stored at once. */
  public static final int COOKIES_NOTED_TOTAL_MAX = 20_000;

  /** Pages that are kept of one cookie. */
  public static final int COOKIE_PAGES_MAX = 10;

  /** Sources of a policy: the library compares each source with all others. */
  public static final int SOURCES_MAX = 1_000;

  /**
   * The longest source of a policy: the library's pattern for hosts recurses with each label, and
   * for paths with each character.
   */
  public static final int SOURCE_LENGTH_MAX = 1_024;

  /**
   * What visitors may make a zone write in an hour. Less than a mebibyte: written data is also
   * deleted later, and the journal keeps the previous content.
   */
  public static final long VISITOR_BYTES_MAX = 640 * 1_024;

  /**
   * What visitors may make a zone write in an hour in addition, for scripts and connections that
   * several sources have reported: about 430 of them.
   */
  public static final long CONFIRMED_BYTES_MAX = 1_024 * 1_024;

  /** Different sources of a detection that are counted. */
  public static final int SOURCES_COUNTED_MAX = 20;

  /** Detections of a zone that were reported and are not listed yet. */
  public static final int SEEN_ONCE_MAX = 8_192;

  /** Distinct violations of a policy; more are not counted. */
  public static final int VIOLATIONS_KEPT_MAX = 1_000;

  /** The longest name of a cookie, in characters. */
  public static final int COOKIE_NAME_LENGTH_MAX = 1_024;

  /** Attributes of a cookie that are read. */
  public static final int COOKIE_ATTRIBUTES_MAX = 32;

  /** Distinct detections in a zone; each more replaces the infrequent one not seen for longest. */
  public static final int DETECTIONS_KEPT_MAX = 5_000;

  /** Pages that are kept of one detection. */
  public static final int DETECTION_PAGES_MAX = 10;

  /** Versions that are kept of one script. */
  public static final int SCRIPT_VERSIONS_MAX = 10;

  /**
   * The total length of the pages of one detection; any client that knows a report address chooses
   * them.
   */
  public static final int DETECTION_PAGES_LENGTH_MAX = 4_096;

  private MonitorBounds() {}
}
