package dev.holdfast;

/**
 * How a runtime fires alarms. Immutable; change with the {@code with} methods.
 *
 * <p>A slow handler does not delay others: after a tenth of a second it no longer counts against
 * {@code runningMax} but against {@code longRunningMax}, whatever it waits for. Slow handlers keep
 * others from starting only when that bound is reached. Both together bound the memory and the
 * threads of alarms.
 *
 * @param runningMax the number of handlers that run at once for less than a tenth of a second; at
 *     least 1
 * @param longRunningMax the number of handlers that run at once for longer; at least 0
 * @param startsPerSecondMax the number of handlers that start per second; it spreads the alarms
 *     that became due while the runtime was closed; at least 1
 * @param listener receives failures
 * @param held whether no alarm fires before {@link ObjectAdmin#startAlarms}
 */
public record AlarmOptions(
    int runningMax, int longRunningMax, int startsPerSecondMax, Listener listener, boolean held) {

  /**
   * At most 256 short and 10,000 long handlers at once, 50,000 starts per second, no listener, not
   * held.
   */
  public static final AlarmOptions DEFAULT =
      new AlarmOptions(256, 10_000, 50_000, Listener.NONE, false);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number is out of its range
   */
  public AlarmOptions {
    if (runningMax < 1 || startsPerSecondMax < 1) {
      throw new IllegalArgumentException(
          "runningMax and startsPerSecondMax must be at least 1: "
              + runningMax
              + ", "
              + startsPerSecondMax);
    }
    if (longRunningMax < 0) {
      throw new IllegalArgumentException("longRunningMax must not be negative: " + longRunningMax);
    }
  }

  /**
   * {@return these options with another bound on running handlers}
   *
   * @param max the new bound
   * @throws IllegalArgumentException if the bound is less than 1
   */
  public AlarmOptions withRunningMax(int max) {
    return new AlarmOptions(max, longRunningMax, startsPerSecondMax, listener, held);
  }

  /**
   * {@return these options with another bound on long handlers}
   *
   * @param max the new bound
   * @throws IllegalArgumentException if the bound is negative
   */
  public AlarmOptions withLongRunningMax(int max) {
    return new AlarmOptions(runningMax, max, startsPerSecondMax, listener, held);
  }

  /**
   * {@return these options with another bound on starts per second}
   *
   * @param max the new bound
   * @throws IllegalArgumentException if the bound is less than 1
   */
  public AlarmOptions withStartsPerSecondMax(int max) {
    return new AlarmOptions(runningMax, longRunningMax, max, listener, held);
  }

  /**
   * {@return these options with another listener}
   *
   * @param receiver the new listener
   */
  public AlarmOptions withListener(Listener receiver) {
    return new AlarmOptions(runningMax, longRunningMax, startsPerSecondMax, receiver, held);
  }

  /**
   * Holds alarms back at the opening: none fires before {@link ObjectAdmin#startAlarms}. For an
   * application whose handlers need what is not ready when the runtime opens. Alarms can be set
   * meanwhile; those that are due fire at the start, spread by {@code startsPerSecondMax}.
   *
   * @return these options, held
   */
  public AlarmOptions withHeld() {
    return new AlarmOptions(runningMax, longRunningMax, startsPerSecondMax, listener, true);
  }

  /**
   * Receives the failures of alarms, once what happened is durable. Runs on separate threads, never
   * in a turn of the object. May block, but delays the firing of other alarms meanwhile. The
   * runtime reports an exception of a listener to the system logger.
   */
  public interface Listener {

    /** Ignores everything. */
    Listener NONE = new Listener() {};

    /**
     * A handler failed and will be run again.
     *
     * @param namespace the object's namespace
     * @param alarm the alarm as it is now, with the time of the next try
     * @param failure the exception of the handler, or the reason of the object's reset
     */
    default void failed(String namespace, AlarmStatus alarm, Throwable failure) {}

    /**
     * The runtime gave an alarm up. An alarm that fires once is kept, and {@link
     * NamespaceAlarms#abandoned} lists it; a recurring one goes on with its next time.
     *
     * @param namespace the object's namespace
     * @param alarm the alarm as it is now
     * @param failure the last exception of the handler, or the reason of the object's reset
     */
    default void abandoned(String namespace, AlarmStatus alarm, Throwable failure) {}

    /**
     * A handler failed after it, or another event of its object, had set or deleted the alarm. The
     * change counts: this run is not tried again, and was not given up either.
     *
     * @param namespace the object's namespace
     * @param alarm the alarm as it was run; {@link NamespaceAlarms#pending} lists what replaced it
     * @param failure the exception of the handler, or the reason of the object's reset
     */
    default void superseded(String namespace, AlarmStatus alarm, Throwable failure) {}
  }
}
