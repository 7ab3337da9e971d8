package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.store.ZoneStore;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Limits the bytes that visitors of a zone's pages may cause to be written per hour: any client can
 * send reports and cookies, and the resulting writes stay in the journal as long as its history.
 * Each write is charged in advance, by the length of its text. The hour and the bytes spent are
 * stored with the zone, so that they outlive its instance. Owned by the zone's turn.
 *
 * <p>Known items are written again at most once a minute, and at most once an hour when a quarter
 * is spent. The second half of an hour's bytes is reserved for new items: traffic that repeats
 * known items does not hide a new script. In that half, a new item is written when it is seen a
 * second time: invented items, each seen once, do not hide one that several visitors meet.
 */
final class VisitorWrites {

  private static final Duration WINDOW = Duration.ofHours(1);
  private static final Duration REPEATED_WITHIN = Duration.ofMinutes(1);

  /** Pages, indexes, record headers and the alarm, in addition to the text. */
  private static final long ROW_BYTES = 2_048;

  private static final long CHANGE_BYTES = 768;

  /** The text itself, and the text that it replaces. */
  private static final long TIMES_WRITTEN = 2;

  private static final Logger LOG = System.getLogger("dev.holdfast.http");

  private final ZoneStore store;

  /** What was seen once, the oldest first; in memory only, since a crash loses one sighting. */
  private final Map<String, Boolean> seenOnce =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > HttpBounds.SEEN_ONCE_MAX;
        }
      };

  private Instant began = Instant.MIN;
  private long spent;
  private boolean isChanged;
  private long dropped;

  VisitorWrites(ZoneStore store) {
    this.store = store;
    store.exec(
        """
        CREATE TABLE IF NOT EXISTS visitor_writes (
          id INTEGER PRIMARY KEY CHECK (id = 1), began_micros INTEGER NOT NULL,
          bytes INTEGER NOT NULL
        )
        """);
  }

  /**
   * Reads the bytes spent. Called before anything is charged in a turn, because the previous turn
   * may have failed.
   */
  void begin() {
    isChanged = false;
    began = Instant.MIN;
    spent = 0;
    Instant now = store.now();
    store.find(
        "SELECT began_micros, bytes FROM visitor_writes",
        row -> {
          began = Detection.time(row, "began_micros");
          spent = row.getLong("bytes");
          return began;
        });
    // Also handles a clock that was far ahead and was corrected.
    if (began.equals(Instant.MIN) || Duration.between(began, now).abs().compareTo(WINDOW) >= 0) {
      began = now;
      spent = 0;
      if (dropped > 0) {
        LOG.log(
            Level.INFO,
            "Zone {0}: {1} reports and cookies of visitors were dropped at the hourly limit.",
            store.profile().id(),
            dropped);
        dropped = 0;
      }
    }
  }

  /**
   * {@return whether a known item was seen so recently that it need not be written again}
   *
   * @param lastSeen the stored time at which it was last seen
   * @param seen the current time at which it is seen
   * @param isSame whether only the time would change, which decides when little is left
   */
  boolean isRepeated(Instant lastSeen, Instant seen, boolean isSame) {
    Duration between = Duration.between(lastSeen, seen).abs();
    return spent > HttpBounds.VISITOR_BYTES_MAX / 4
        ? between.compareTo(WINDOW) < 0
        : isSame && between.compareTo(REPEATED_WITHIN) < 0;
  }

  /** {@return the bytes spent in the hour} */
  long spent() {
    return spent;
  }

  /**
   * {@return whether a new item is written now, or first noted in memory}
   *
   * @param id its id
   */
  boolean isSeenEnough(String id) {
    if (spent <= HttpBounds.VISITOR_BYTES_MAX / 2 || seenOnce.remove(id) != null) {
      return true;
    }
    seenOnce.put(id, true);
    return false;
  }

  /**
   * {@return whether a new item may be written}
   *
   * @param characters the characters of text in it
   */
  boolean mayAdd(long characters) {
    return take(ROW_BYTES + TIMES_WRITTEN * characters, HttpBounds.VISITOR_BYTES_MAX);
  }

  /**
   * {@return whether a known item may be changed}
   *
   * @param characters the characters of text that change
   */
  boolean mayChange(long characters) {
    return take(CHANGE_BYTES + TIMES_WRITTEN * characters, HttpBounds.VISITOR_BYTES_MAX / 2);
  }

  private boolean take(long bytes, long max) {
    if (spent + bytes > max) {
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
    spent += bytes;
    isChanged = true;
    return true;
  }

  /** Stores the bytes spent, if any. */
  void end() {
    if (isChanged) {
      store.exec(
          "INSERT OR REPLACE INTO visitor_writes (id, began_micros, bytes) VALUES (1, ?, ?)",
          Detection.micros(began),
          spent);
    }
  }
}
