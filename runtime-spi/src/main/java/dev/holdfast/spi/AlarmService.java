package dev.holdfast.spi;

import java.util.Collections;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds alarms that are due, and determines the next state of an alarm after a run. The engine runs
 * the alarms and stores the result with the object. Thread-safe.
 */
public interface AlarmService extends AutoCloseable {

  /**
   * Starts firing alarms.
   *
   * @param target runs them
   */
  void start(AlarmTarget target);

  /**
   * Returns the first state of a named alarm.
   *
   * @param name its name
   * @param schedule how it recurs, as this service's own text
   * @param nowMillis the time
   * @return the alarm, set to its first time
   * @throws IllegalArgumentException if the text is not a schedule, or the schedule never matches
   */
  AlarmRecord first(String name, String schedule, long nowMillis);

  /**
   * Returns the form in which an alarm that is due is to be run.
   *
   * @param entry the alarm
   * @param nowMillis the time
   * @return the alarm to run: the same alarm, or a later run of its schedule; if its due time is in
   *     the future, it is not to be run yet
   */
  AlarmRecord admit(AlarmEntry entry, long nowMillis);

  /**
   * Corrects an alarm that is not due, after the clock was far ahead for a moment. A run of a
   * schedule, or a retry, that was set by that clock would otherwise wait until then.
   *
   * @param entry the alarm
   * @param nowMillis the time
   * @return the alarm with its time by the present clock; the same alarm if that is the time it
   *     has. Alarms that fire once keep the time they were set to
   */
  AlarmRecord reckon(AlarmEntry entry, long nowMillis);

  /**
   * Returns the next state of an alarm after a successful run.
   *
   * @param fired the alarm as it was run
   * @param nowMillis the time
   * @return its next run; null if there is none
   */
  @Nullable AlarmRecord afterSuccess(AlarmEntry fired, long nowMillis);

  /**
   * Returns the next state of an alarm after its handler has failed.
   *
   * @param fired the alarm as it was run
   * @param retry whether another try could help
   * @param nowMillis the time
   * @return its next try, its next run, or the alarm as abandoned
   */
  AlarmRecord afterFailure(AlarmEntry fired, boolean retry, long nowMillis);

  /**
   * Returns how late alarms are. Takes no lock that is held during work of the disk.
   *
   * @param nowMillis the time
   * @return how long the alarm that waits longest has been due without being started; 0 if none
   *     waits
   */
  default long lateMillis(long nowMillis) {
    return 0;
  }

  /**
   * Returns how many alarms a namespace has. Takes no lock that is held during work of the disk.
   *
   * @param namespace the namespace
   * @return the counts; after the closing, the counts at its time
   */
  Counts counts(String namespace);

  /**
   * Returns how many alarms were given up and are still there. Takes no lock that is held during
   * work of the disk.
   *
   * @return the counts by namespace, without counts of 0, in the order of the names
   */
  default SortedMap<String, Long> abandoned() {
    return Collections.emptySortedMap();
  }

  /**
   * How many alarms a namespace has.
   *
   * @param pending alarms that are set; those whose handler runs included
   * @param due pending alarms whose time has come
   */
  record Counts(long pending, long due) {

    /** No alarms. */
    public static final Counts NONE = new Counts(0, 0);
  }

  /** Stops firing alarms; running handlers continue. */
  @Override
  void close();
}
