package dev.holdfast.http.internal.pagemonitor;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;

/**
 * The life cycle of a resource that pages load. A resource is infrequent until it was reported
 * three times, then active; active ones become inactive after 7 days without a report, and active
 * again with the next one; infrequent ones are deleted after 5 days, all after 30.
 */
final class LifeCycle {

  static final Set<String> WORDS = Set.of("active", "infrequent", "inactive");

  private static final int REPORTS_TO_BE_ACTIVE = 3;
  private static final Duration INFREQUENT_KEPT = Duration.ofDays(5);
  private static final Duration ACTIVE_WITHOUT_REPORT = Duration.ofDays(7);
  private static final Duration KEPT = Duration.ofDays(30);

  enum Status {
    INFREQUENT,
    ACTIVE,
    INACTIVE;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Status of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }
  }

  private LifeCycle() {}

  static Status afterReport(long reports) {
    return reports >= REPORTS_TO_BE_ACTIVE ? Status.ACTIVE : Status.INFREQUENT;
  }

  /** Everything last seen before this, and infrequent, is deleted. */
  static Instant infrequentSince(Instant now) {
    return now.minus(INFREQUENT_KEPT);
  }

  /** Everything last seen before this, and active, becomes inactive. */
  static Instant activeSince(Instant now) {
    return now.minus(ACTIVE_WITHOUT_REPORT);
  }

  /** Everything last seen before this is deleted. */
  static Instant keptSince(Instant now) {
    return now.minus(KEPT);
  }

  /** The time of the next status change of a resource that is not seen again. */
  static Instant due(Status status, Instant lastSeen) {
    return lastSeen.plus(
        switch (status) {
          case INFREQUENT -> INFREQUENT_KEPT;
          case ACTIVE -> ACTIVE_WITHOUT_REPORT;
          case INACTIVE -> KEPT;
        });
  }
}
