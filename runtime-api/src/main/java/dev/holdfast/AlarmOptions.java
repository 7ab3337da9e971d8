package dev.holdfast;

/**
 * How the alarms of a runtime are fired. Immutable; change with the {@code with} methods.
 *
 * @param runningMax how many handlers run at once; at least 1
 * @param startsPerSecondMax how many handlers are started in a second, so that alarms that have
 *     become due while the runtime was closed do not fall upon it all at once; at least 1
 * @param listener learns of failures
 */
public record AlarmOptions(int runningMax, int startsPerSecondMax, AlarmListener listener) {

  /** At most 256 at once, 50,000 a second; nobody listens. */
  public static final AlarmOptions DEFAULT = new AlarmOptions(256, 50_000, AlarmListener.NONE);

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
  }

  /**
   * {@return these options with another bound on running handlers}
   *
   * @param max the new bound
   */
  public AlarmOptions withRunningMax(int max) {
    return new AlarmOptions(max, startsPerSecondMax, listener);
  }

  /**
   * {@return these options with another bound on the rate}
   *
   * @param max the new bound
   */
  public AlarmOptions withStartsPerSecondMax(int max) {
    return new AlarmOptions(runningMax, max, listener);
  }

  /**
   * {@return these options with another listener}
   *
   * @param told who is told
   */
  public AlarmOptions withListener(AlarmListener told) {
    return new AlarmOptions(runningMax, startsPerSecondMax, told);
  }
}
