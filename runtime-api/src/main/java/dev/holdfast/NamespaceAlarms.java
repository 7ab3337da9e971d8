package dev.holdfast;

import java.time.Instant;
import java.util.Optional;

/**
 * The alarms of all objects of a namespace, for operators. Lists show only durable alarms.
 * Thread-safe; not for use inside of objects.
 */
public interface NamespaceAlarms {

  /** Largest number of alarms in one page. */
  int PAGE_MAX = 10_000;

  /**
   * Lists the alarms that will fire, by due time.
   *
   * @param cursor the cursor of the previous page; empty for the first page
   * @param limit the largest number of alarms in the page: 1 to {@link #PAGE_MAX}
   * @return the page
   * @throws IllegalArgumentException if the cursor is malformed, or the limit is out of its range
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of alarms cannot be read
   */
  Page<AlarmStatus> pending(Optional<String> cursor, int limit);

  /**
   * Lists the alarms that were given up, by the time when they were given up.
   *
   * @param cursor the cursor of the previous page; empty for the first page
   * @param limit the largest number of alarms in the page: 1 to {@link #PAGE_MAX}
   * @return the page
   * @throws IllegalArgumentException if the cursor is malformed, or the limit is out of its range
   * @throws dev.holdfast.errors.DataDirectoryException if the catalog of alarms cannot be read
   */
  Page<AlarmStatus> abandoned(Optional<String> cursor, int limit);

  /**
   * Sets an alarm that was given up again, with all its retries. Durable when this returns.
   *
   * @param id the object
   * @param name the name of the alarm; empty for the alarm of {@code setAlarm}
   * @param time when it fires; a time in the past means at once
   * @return true if the alarm was set; false if no such alarm was given up
   * @throws IllegalArgumentException if the time is after 2262-04-11
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws ObjectException if the object cannot take the change: it is overloaded or was reset,
   *     its storage fails, or the thread is interrupted
   */
  boolean rearm(ObjectId id, String name, Instant time);

  /**
   * Deletes an alarm that was given up. Durable when this returns.
   *
   * @param id the object
   * @param name the name of the alarm; empty for the alarm of {@code setAlarm}
   * @return true if the alarm was deleted; false if no such alarm was given up
   * @throws dev.holdfast.errors.InvalidObjectIdException if the id belongs to another namespace
   * @throws RuntimeClosedException if the runtime is closed or closing
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed
   * @throws ObjectException if the object cannot take the change: it is overloaded or was reset,
   *     its storage fails, or the thread is interrupted
   */
  boolean discard(ObjectId id, String name);
}
