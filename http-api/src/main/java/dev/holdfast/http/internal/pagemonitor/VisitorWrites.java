package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.store.ZoneStore;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;

/**
 * What visitors of a zone's pages may have written in an hour: anybody can send reports and
 * cookies, and what they write stays in the journal as long as its history. Each write is charged
 * before it is made, by the text in it. The hour and what was spent of it are stored with the zone,
 * so that they outlive its instance. Owned by the zone's turn.
 *
 * <p>What is known is written again once a minute at most, and once an hour when a quarter is
 * spent. The second half of an hour's bytes is for what is new: traffic that repeats what is known
 * does not hide a script that was never seen.
 */
final class VisitorWrites {

  /**
   * About half of the mebibyte that an hour may take: what is written is also deleted some day, and
   * the journal keeps what was there before.
   */
  static final long BYTES_MAX = 480 * 1_024;

  private static final Duration WINDOW = Duration.ofHours(1);
  private static final Duration REPEATED_WITHIN = Duration.ofMinutes(1);

  /** Pages, indexes, record headers and the alarm, beside the text. */
  private static final long ROW_BYTES = 2_048;

  private static final long CHANGE_BYTES = 768;

  /** The text itself, and once more what it replaces. */
  private static final long TIMES_WRITTEN = 2;

  private static final Logger LOG = System.getLogger("dev.holdfast.http");

  private final ZoneStore store;
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
   * Reads what was spent; before anything is charged in a turn, whose predecessor may have failed.
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
    // Also a clock that was far ahead and was put right.
    if (began.equals(Instant.MIN) || Duration.between(began, now).abs().compareTo(WINDOW) >= 0) {
      began = now;
      spent = 0;
      if (dropped > 0) {
        LOG.log(
            Level.INFO,
            "Zone {0}: {1} reports and cookies of visitors were dropped since the last hour began.",
            store.profile().id(),
            dropped);
        dropped = 0;
      }
    }
  }

  /**
   * {@return whether something that is known was seen so lately that nobody misses it if it is not
   * written again}
   *
   * @param lastSeen when it was seen, as it is stored
   * @param seen when it is seen now
   * @param isSame whether nothing but the time would change that matters when there is little left
   */
  boolean isRepeated(Instant lastSeen, Instant seen, boolean isSame) {
    Duration between = Duration.between(lastSeen, seen).abs();
    return spent > BYTES_MAX / 4
        ? between.compareTo(WINDOW) < 0
        : isSame && between.compareTo(REPEATED_WITHIN) < 0;
  }

  /** {@return what was spent of the hour} */
  long spent() {
    return spent;
  }

  /**
   * {@return whether something may be written that was never seen before}
   *
   * @param characters of text in it
   */
  boolean mayAdd(long characters) {
    return take(ROW_BYTES + TIMES_WRITTEN * characters, BYTES_MAX);
  }

  /**
   * {@return whether something may be changed that is known}
   *
   * @param characters of text that changes
   */
  boolean mayChange(long characters) {
    return take(CHANGE_BYTES + TIMES_WRITTEN * characters, BYTES_MAX / 2);
  }

  private boolean take(long bytes, long max) {
    if (spent + bytes > max) {
      if (dropped++ == 0) {
        LOG.log(
            Level.WARNING,
            "Zone {0}: visitors have written what they may in an hour; until {1} more of their"
                + " reports and cookies are dropped.",
            store.profile().id(),
            began.plus(WINDOW));
      }
      return false;
    }
    spent += bytes;
    isChanged = true;
    return true;
  }

  /** Stores what was spent, if anything was. */
  void end() {
    if (isChanged) {
      store.exec(
          "INSERT OR REPLACE INTO visitor_writes (id, began_micros, bytes) VALUES (1, ?, ?)",
          Detection.micros(began),
          spent);
    }
  }
}
