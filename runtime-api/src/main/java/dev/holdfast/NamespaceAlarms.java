package dev.holdfast;

import java.time.Instant;
import java.util.Optional;

/**
 * The alarms of all objects of a namespace, for operators. What is listed is durable. Thread-safe;
 * not for use inside of objects.
 */
public interface NamespaceAlarms {

  /** Most alarms of one page. */
  int PAGE_MAX = 10_000;

  /**
   * Lists alarms that are going to fire, by due time.
   *
   * @param cursor where to begin: what the page before has given, or empty for the first page
   * @param limit most alarms of the page: 1 to {@link #PAGE_MAX}
   * @return the page
   * @throws IllegalArgumentException if the cursor is none, or the limit is out of its range
   */
  Page<AlarmStatus> pending(Optional<String> cursor, int limit);

  /**
   * Lists alarms that were given up, by the time of that.
   *
   * @param cursor where to begin: what the page before has given, or empty for the first page
   * @param limit most alarms of the page: 1 to {@link #PAGE_MAX}
   * @return the page
   * @throws IllegalArgumentException if the cursor is none, or the limit is out of its range
   */
  Page<AlarmStatus> abandoned(Optional<String> cursor, int limit);

  /**
   * Arms an alarm that was given up anew, with all its retries. Durable when this returns.
   *
   * @param id the object
   * @param name the name of the alarm; empty for that of {@code setAlarm}
   * @param time when it is to fire; one in the past means at once
   * @return whether it was done; false if there is no such alarm that was given up
   * @throws IllegalArgumentException if the time is after 2188
   * @throws InvalidObjectIdException if the id belongs to another namespace
   */
  boolean rearm(ObjectId id, String name, Instant time);

  /**
   * Deletes an alarm that was given up. Durable when this returns.
   *
   * @param id the object
   * @param name the name of the alarm; empty for that of {@code setAlarm}
   * @return whether it was done; false if there is no such alarm that was given up
   * @throws InvalidObjectIdException if the id belongs to another namespace
   */
  boolean discard(ObjectId id, String name);
}
