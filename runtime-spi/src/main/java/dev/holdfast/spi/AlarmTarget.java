package dev.holdfast.spi;

/** Runs alarms; implemented by the engine. Thread-safe. */
public interface AlarmTarget {

  /** The result of firing an alarm that was due. */
  enum Outcome {
    /** It was run or skipped, and the result is durable with the object. */
    DONE,
    /** It was run, and its object has set it to the same time again. */
    AGAIN,
    /**
     * No such alarm is pending: it was deleted, set to a later time, or abandoned in the meantime.
     * The catalog has reported the present alarms.
     */
    GONE,
    /** The object has it, but the clock was set back and it is not due yet. */
    NOT_DUE,
    /** It could not be run, for a reason other than its handler; nothing has changed. */
    UNAVAILABLE
  }

  /**
   * Runs an alarm if the object still has it. Blocks until the result is durable. Called by one
   * thread at a time for one object.
   *
   * @param entry the alarm, as the index has it
   * @return the result
   */
  Outcome fire(AlarmEntry entry);
}
