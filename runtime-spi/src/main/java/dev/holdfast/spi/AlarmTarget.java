package dev.holdfast.spi;

/** Who runs alarms: the engine. Thread-safe. */
public interface AlarmTarget {

  /** What became of an alarm that was due. */
  enum Outcome {
    /** It was run or skipped, and what became of it is durable with the object. */
    DONE,
    /** It was run, and its object has set it to the same time again. */
    AGAIN,
    /**
     * There is no such alarm that waits: it was deleted, set to a later time, or given up
     * meanwhile. What there is instead was told by the catalog.
     */
    GONE,
    /** The object has it, and by the clock, which was set back, it is not due yet. */
    NOT_DUE,
    /** It could not be run, through no fault of its handler; nothing has changed. */
    UNAVAILABLE
  }

  /**
   * Runs an alarm if the object still has it. Blocks until what came of it is durable. To be called
   * by one thread at a time for one object.
   *
   * @param entry the alarm, as the index has it
   * @return what became of it
   */
  Outcome fire(AlarmEntry entry);
}
