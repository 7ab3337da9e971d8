package dev.holdfast.spi;

import org.jspecify.annotations.Nullable;

/**
 * Finds alarms that are due, and knows what comes after a run. The engine runs them and stores what
 * comes of it with the object. Thread-safe.
 */
public interface AlarmService extends AutoCloseable {

  /**
   * Begins to fire alarms.
   *
   * @param target runs them
   */
  void start(AlarmTarget target);

  /**
   * Returns what a named alarm begins with.
   *
   * @param name its name
   * @param schedule how it recurs, as this service's own text
   * @param nowMillis the time
   * @return the alarm, set to its first time
   * @throws IllegalArgumentException if the text is no schedule, or none that ever comes true
   */
  AlarmRecord first(String name, String schedule, long nowMillis);

  /**
   * Returns what is to be run of an alarm that is due.
   *
   * @param entry the alarm
   * @param nowMillis the time
   * @return the alarm as it is run: itself, or in a later run of its schedule; not to be run yet if
   *     its due time is to come
   */
  AlarmRecord admit(AlarmEntry entry, long nowMillis);

  /**
   * Returns what becomes of an alarm that is not due, when the clock was far ahead for a moment: a
   * run of a schedule, or a retry, that was set by that clock would stand still until then.
   *
   * @param entry the alarm
   * @param nowMillis the time
   * @return the alarm at the time it has by the clock as it is; itself if that is the one it has.
   *     Alarms that fire once keep the time they were set to
   */
  AlarmRecord reckon(AlarmEntry entry, long nowMillis);

  /**
   * Returns what an alarm becomes that has run well.
   *
   * @param fired the alarm as it was run
   * @param nowMillis the time
   * @return its next run; null if there is none
   */
  @Nullable AlarmRecord afterSuccess(AlarmEntry fired, long nowMillis);

  /**
   * Returns what an alarm becomes whose handler has failed.
   *
   * @param fired the alarm as it was run
   * @param retry whether another try could help
   * @param nowMillis the time
   * @return its next try, or its next run, or itself as given up
   */
  AlarmRecord afterFailure(AlarmEntry fired, boolean retry, long nowMillis);

  /** Fires no more alarms; those that run go on. */
  @Override
  void close();
}
