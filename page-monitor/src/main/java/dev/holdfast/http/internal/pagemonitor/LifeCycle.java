package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.store.ZoneStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;

/**
 * The life cycle of a resource that pages load. A resource is infrequent until it was reported
 * three times, then active; active ones become inactive after 7 days without a report, and active
 * again with the next one; infrequent ones are deleted after 5 days, all after 30. A table of such
 * resources has the columns {@code status} and {@code last_seen_micros}.
 */
final class LifeCycle {

  private static final int REPORTS_TO_BE_ACTIVE = 3;

  enum Status {
    INFREQUENT(5),
    ACTIVE(7),
    INACTIVE(30);

    /** The status ends after this time without a report. */
    private final Duration lasting;

    Status(int days) {
      lasting = Duration.ofDays(days);
    }

    static Status afterReports(long reports) {
      return reports >= REPORTS_TO_BE_ACTIVE ? ACTIVE : INFREQUENT;
    }

    /** The time of the next status change of a resource that is not seen again. */
    Instant due(Instant lastSeen) {
      return lastSeen.plus(lasting);
    }

    private long lastSeenBefore(Instant now) {
      return micros(now.minus(lasting));
    }
  }

  private record Oldest(Status status, long seen) {}

  private LifeCycle() {}

  /** Processes the due resources of a table; returns when the next ones are due. */
  static Instant sweep(ZoneStore store, String table, Instant now) {
    store.exec(
        "DELETE FROM %s WHERE last_seen_micros <= ? OR (status = ? AND last_seen_micros <= ?)"
            .formatted(table),
        Status.INACTIVE.lastSeenBefore(now),
        Status.INFREQUENT.name(),
        Status.INFREQUENT.lastSeenBefore(now));
    store.exec(
        "UPDATE %s SET status = 'INACTIVE' WHERE status = 'ACTIVE' AND last_seen_micros <= ?"
            .formatted(table),
        Status.ACTIVE.lastSeenBefore(now));
    return store
        .list(
            "SELECT status, min(last_seen_micros) AS seen FROM " + table + " GROUP BY status",
            Oldest.class)
        .stream()
        .map(one -> one.status().due(time(one.seen())))
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  static long micros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  static Instant time(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
