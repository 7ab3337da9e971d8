package dev.holdfast.spi;

import dev.holdfast.filter.Headers;

/**
 * One alarm of an object, as it is stored with the object's data. Immutable.
 *
 * @param name which of the object's alarms; empty for the one of {@code setAlarm}
 * @param state whether it will fire
 * @param dueMillis the earliest time at which it fires, milliseconds since 1970: the scheduled
 *     time, or the time of the next try
 * @param scheduledMillis the requested time, milliseconds since 1970
 * @param retryCount how many tries have failed and count, 0 or more
 * @param schedule how it recurs after it has fired; empty if it does not recur
 * @param headers of the call that set it, as far as they are kept. An entry of a catalog may lack
 *     them; the stored alarm has them
 */
public record AlarmRecord(
    String name,
    State state,
    long dueMillis,
    long scheduledMillis,
    int retryCount,
    String schedule,
    Headers headers) {

  /**
   * An alarm without headers.
   *
   * @param name which of the object's alarms
   * @param state whether it will fire
   * @param dueMillis the earliest time at which it fires
   * @param scheduledMillis the requested time
   * @param retryCount how many tries have failed and count
   * @param schedule how it recurs
   */
  public AlarmRecord(
      String name,
      State state,
      long dueMillis,
      long scheduledMillis,
      int retryCount,
      String schedule) {
    this(name, state, dueMillis, scheduledMillis, retryCount, schedule, Headers.NONE);
  }

  /** The name of the alarm that {@code setAlarm} sets. */
  public static final String OWN = "";

  /** Whether an alarm will fire. */
  public enum State {
    /** It fires when it is due. */
    PENDING(1),
    /** It has failed too often and needs an operator. */
    ABANDONED(2);

    private final byte code;

    State(int code) {
      this.code = (byte) code;
    }

    /** {@return the number of this state on disk; it never changes} */
    public byte code() {
      return code;
    }

    /**
     * {@return the state with a number}
     *
     * @param code the number on disk
     * @throws IllegalArgumentException if no state has it
     */
    public static State of(int code) {
      for (State state : values()) {
        if (state.code == code) {
          return state;
        }
      }
      throw new IllegalArgumentException("alarm state " + code);
    }
  }

  /**
   * {@return an alarm that was just set and fires once}
   *
   * @param name which alarm
   * @param millis when, milliseconds since 1970
   */
  public static AlarmRecord once(String name, long millis) {
    return new AlarmRecord(name, State.PENDING, millis, millis, 0, "");
  }

  /**
   * {@return this alarm with other headers}
   *
   * @param kept the headers
   */
  public AlarmRecord withHeaders(Headers kept) {
    return kept.equals(headers)
        ? this
        : new AlarmRecord(name, state, dueMillis, scheduledMillis, retryCount, schedule, kept);
  }

  /**
   * {@return whether it fires once, at the requested time, has never been tried and has no headers}
   */
  public boolean isFresh() {
    return state == State.PENDING
        && dueMillis == scheduledMillis
        && retryCount == 0
        && schedule.isEmpty()
        && headers.isEmpty();
  }
}
