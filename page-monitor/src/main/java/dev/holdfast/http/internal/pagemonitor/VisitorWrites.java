package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.pagemonitor.Sightings.Sighting;
import dev.holdfast.http.internal.report.MonitorBounds;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.Notice;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the bytes that visitors of a zone's pages may cause to be written per hour: any client can
 * send reports and cookies, and the resulting writes stay in the journal as long as its history.
 * Each write is charged in advance, by the length of its text, to a purpose that has a share of the
 * hour of its own: invented cookies take nothing from reports, and what is repeated takes nothing
 * from what is new. The hour and the bytes spent are stored with the zone, so that they outlive its
 * instance. Owned by the zone's turn.
 *
 * <p>Known items are written again at most once a minute, and at most once an hour when half of
 * their share is spent. A source may make the zone list a quarter of the new detections of an hour
 * at their first report. Beyond it, and when half of the share is spent, a detection is listed when
 * it is reported by another source or for the third time; even so, a source alone fills no more
 * than half. What several sources have reported has a reserve: five are enough for the first half
 * of it, ten for the next quarter, and twenty for the last. So a few addresses cannot keep the zone
 * from what many visitors see.
 */
final class VisitorWrites {

  /** What visitors make a zone write. */
  enum Purpose {
    NEW_DETECTION(22),
    CONFIRMED_DETECTION(0),
    KNOWN_DETECTION(6),
    SCORE(8),
    VIOLATION(6),
    NEW_COOKIE(12),
    KNOWN_COOKIE(4),
    NEW_SENT_COOKIE(4),
    KNOWN_SENT_COOKIE(2);

    private static final int SHARES = 64;

    private final int share;

    Purpose(int share) {
      this.share = share;
    }

    long bytesMax() {
      if (this == CONFIRMED_DETECTION) {
        return MonitorBounds.CONFIRMED_BYTES_MAX;
      }
      return MonitorBounds.VISITOR_BYTES_MAX * share / SHARES;
    }
  }

  private static final Duration WINDOW = Duration.ofHours(1);
  private static final Duration REPEATED_WITHIN = Duration.ofMinutes(1);

  /** Pages, indexes, record headers and the alarm, in addition to the text. */
  private static final long ROW_BYTES = 2_048;

  private static final long CHANGE_BYTES = 768;

  /** The text itself, and the text that it replaces. */
  private static final long TIMES_WRITTEN = 2;

  private static final int SIGHTINGS_OF_ONE_SOURCE = 3;
  private static final int HOURLY_LIMIT_REACHED = 10201;
  private static final int FULL = 10202;

  private static final Logger LOG = System.getLogger("dev.holdfast.http");

  private record Spending(Purpose purpose, long beganMicros, long bytes) {}

  private final ZoneStore store;
  private final Sightings sightings = new Sightings();
  private final Map<Purpose, Long> spent = new EnumMap<>(Purpose.class);

  /** What new detections of each source have spent in the hour, since this instance was created. */
  private final Map<String, Long> bySource = new HashMap<>();

  /** What new detections had spent in the hour before: each source is charged with all of it. */
  private long spentBefore = -1;

  private Instant began = Instant.MIN;
  private boolean isChanged;

  /** Whether the bytes in memory are those stored, or more. */
  private boolean isCurrent;

  private long dropped;

  VisitorWrites(ZoneStore store) {
    this.store = store;
  }

  /**
   * Begins a turn. Reads the bytes spent unless the turn before has come to {@link #end}: if one
   * failed later, its bytes are counted although nothing was written.
   */
  void begin() {
    isChanged = false;
    Instant before = began;
    Instant now = store.now();
    if (!isCurrent) {
      began = Instant.MIN;
      spent.clear();
      for (Spending one : store.list("SELECT * FROM visitor_spending", Spending.class)) {
        began = LifeCycle.time(one.beganMicros());
        spent.put(one.purpose(), one.bytes());
      }
    }
    isCurrent = false;
    // Also handles a clock that was far ahead and was corrected.
    if (began.equals(Instant.MIN) || Duration.between(began, now).abs().compareTo(WINDOW) >= 0) {
      began = now;
      spent.clear();
      if (dropped > 0) {
        LOG.log(
            Level.INFO,
            "Zone {0}: {1} reports and cookies of visitors were dropped at the hourly limit.",
            store.profile().id(),
            dropped);
        dropped = 0;
      }
    }
    if (spentBefore < 0) {
      spentBefore = spent(Purpose.NEW_DETECTION);
    } else if (!began.equals(before)) {
      spentBefore = 0;
      bySource.clear();
    }
  }

  /**
   * {@return whether a known item was seen so recently that it need not be written again}
   *
   * @param purpose what the item is
   * @param lastSeen the stored time at which it was last seen
   * @param seen the current time at which it is seen
   * @param isSame whether only the time would change, which decides when little is left
   */
  boolean isRepeated(Purpose purpose, Instant lastSeen, Instant seen, boolean isSame) {
    Duration between = Duration.between(lastSeen, seen).abs();
    return spent(purpose) > purpose.bytesMax() / 2
        ? between.compareTo(WINDOW) < 0
        : isSame && between.compareTo(REPEATED_WITHIN) < 0;
  }

  private long spent(Purpose purpose) {
    return spent.getOrDefault(purpose, 0L);
  }

  /** {@return the bytes spent in the hour} */
  long spent() {
    return spent.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Adds a new detection, or notes in memory that it was seen.
   *
   * @param id its id
   * @param source the source of the report
   * @param characters the characters of text in it
   * @return how often it was seen if it is to be written now, otherwise 0
   */
  int addDetection(String id, String source, long characters) {
    long max = Purpose.NEW_DETECTION.bytesMax();
    long own = spentBefore + bySource.getOrDefault(source, 0L);
    Sighting sighting = sightings.add(id, source);
    boolean isSeenEnough =
        sighting.sources() > 1
            || (own <= max / 4 && spent(Purpose.NEW_DETECTION) <= max / 2)
            || (own <= max / 2 && sighting.times() >= SIGHTINGS_OF_ONE_SOURCE);
    Purpose purpose =
        isConfirmed(sighting) && !hasRoom(Purpose.NEW_DETECTION, true, characters)
            ? Purpose.CONFIRMED_DETECTION
            : Purpose.NEW_DETECTION;
    if (!isSeenEnough || !mayWrite(purpose, true, characters)) {
      return 0;
    }
    sightings.forget(id);
    if (sighting.sources() == 1) {
      bySource.merge(source, ROW_BYTES + TIMES_WRITTEN * characters, Long::sum);
    }
    return sighting.times();
  }

  /**
   * Changes a detection that is listed and not active, or notes in memory that it was seen.
   *
   * @param id its id
   * @param source the source of the report
   * @param characters the characters of text in what changes
   * @return how often it was seen if it is to be written now, otherwise 0
   */
  int addReport(String id, String source, long characters) {
    if (hasRoom(Purpose.NEW_DETECTION, false, characters)) {
      mayWrite(Purpose.NEW_DETECTION, false, characters);
      sightings.forget(id);
      return 1;
    }
    Sighting sighting = sightings.add(id, source);
    if (!isConfirmed(sighting) || !mayWrite(Purpose.CONFIRMED_DETECTION, false, characters)) {
      return 0;
    }
    sightings.forget(id);
    return sighting.times();
  }

  private boolean isConfirmed(Sighting sighting) {
    long max = Purpose.CONFIRMED_DETECTION.bytesMax();
    long used = spent(Purpose.CONFIRMED_DETECTION);
    int needed = used <= max / 2 ? 5 : used <= max / 4 * 3 ? 10 : MonitorBounds.SOURCES_COUNTED_MAX;
    return sighting.sources() >= needed;
  }

  private boolean hasRoom(Purpose purpose, boolean isNew, long characters) {
    return spent(purpose) + bytes(isNew, characters) <= purpose.bytesMax();
  }

  private static long bytes(boolean isNew, long characters) {
    return (isNew ? ROW_BYTES : CHANGE_BYTES) + TIMES_WRITTEN * characters;
  }

  /**
   * {@return whether an item may be written}
   *
   * @param purpose what the item is
   * @param isNew whether it is added, or changed
   * @param characters the characters of text in it, or in what changes
   */
  boolean mayWrite(Purpose purpose, boolean isNew, long characters) {
    long bytes = bytes(isNew, characters);
    if (!hasRoom(purpose, isNew, characters)) {
      if (dropped++ == 0) {
        LOG.log(
            Level.WARNING,
            "Zone {0}: visitors have reached the hourly limit of writes; further reports and"
                + " cookies are dropped until {1}.",
            store.profile().id(),
            began.plus(WINDOW));
      }
      return false;
    }
    spent.merge(purpose, bytes, Long::sum);
    isChanged = true;
    return true;
  }

  /**
   * {@return the messages of a list: that the zone is full, and that something was dropped}
   *
   * @param isFull whether the zone is full
   * @param full the maximum, and what makes room
   */
  List<Notice> notices(boolean isFull, String full) {
    List<Notice> notices = new ArrayList<>();
    if (isFull) {
      notices.add(new Notice(FULL, "the zone lists its maximum of " + full));
    }
    Instant until = dropped == 0 ? Instant.MIN : began.plus(WINDOW);
    if (until.isAfter(store.now())) {
      String reached =
          "visitors have reached the hourly limit of reports and cookies; more are dropped until ";
      notices.add(new Notice(HOURLY_LIMIT_REACHED, reached + until));
    }
    return notices;
  }

  /** Stores the bytes spent, if any. */
  void end() {
    if (isChanged) {
      store.exec("DELETE FROM visitor_spending");
      long micros = LifeCycle.micros(began);
      spent.forEach(
          (purpose, bytes) ->
              store.put("visitor_spending", "purpose", new Spending(purpose, micros, bytes)));
    }
    isCurrent = true;
  }
}
