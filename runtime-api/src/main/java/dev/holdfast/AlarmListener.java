package dev.holdfast;

/**
 * Learns of alarms that fail. Called on a thread of its own kind, not in a turn of the object, once
 * what happened is durable; may block, but holds up the firing of other alarms then. An exception
 * it throws is reported to the system logger.
 */
public interface AlarmListener {

  /** Takes no notice. */
  AlarmListener NONE = new AlarmListener() {};

  /**
   * A handler has failed and will be run again.
   *
   * @param namespace the object's namespace
   * @param alarm the alarm as it is now, with the time of the next try
   * @param failure what the handler threw, or why the object was reset
   */
  default void failed(String namespace, AlarmStatus alarm, Throwable failure) {}

  /**
   * An alarm was given up. One that fires once is kept, and found with {@link
   * NamespaceAlarms#abandoned}; one that recurs goes on with its next time.
   *
   * @param namespace the object's namespace
   * @param alarm the alarm as it is now
   * @param failure what the handler threw last, or why the object was reset
   */
  default void abandoned(String namespace, AlarmStatus alarm, Throwable failure) {}

  /**
   * A handler has failed, and meanwhile it, or another event of its object, has set or deleted the
   * alarm. That counts: this run is not tried again, and was not given up either.
   *
   * @param namespace the object's namespace
   * @param alarm the alarm as it was run; what there is instead, if anything, is found with {@link
   *     NamespaceAlarms#pending}
   * @param failure what the handler threw, or why the object was reset
   */
  default void superseded(String namespace, AlarmStatus alarm, Throwable failure) {}
}
