package dev.holdfast.histories;

import org.jspecify.annotations.Nullable;

/**
 * A call in a history. Times come from one clock that does not go back; calls whose times touch are
 * concurrent. Immutable.
 *
 * @param <I> what is called
 * @param <R> what is answered
 * @param input the call
 * @param result its answer; null if it is not known: then the call takes effect at any time after
 *     it began, or never
 * @param begun when it began
 * @param ended when it was answered; without meaning if its answer is not known
 */
public record Operation<I, R>(I input, @Nullable R result, long begun, long ended) {

  /**
   * Checks the times.
   *
   * @throws IllegalArgumentException if the call ended before it began
   */
  public Operation {
    if (result != null && ended < begun) {
      throw new IllegalArgumentException("A call ends after it began: " + begun + " to " + ended);
    }
  }

  /**
   * {@return a call that was answered}
   *
   * @param <I> what is called
   * @param <R> what is answered
   * @param input the call
   * @param result its answer
   * @param begun when it began
   * @param ended when it was answered
   */
  public static <I, R> Operation<I, R> answered(I input, R result, long begun, long ended) {
    return new Operation<>(input, result, begun, ended);
  }

  /**
   * {@return a call whose outcome is unknown}
   *
   * @param <I> what is called
   * @param <R> what is answered
   * @param input the call
   * @param begun when it began
   */
  public static <I, R> Operation<I, R> unknown(I input, long begun) {
    return new Operation<>(input, null, begun, Long.MAX_VALUE);
  }

  /** {@return whether its answer is known} */
  public boolean isAnswered() {
    return result != null;
  }

  @Override
  public String toString() {
    return isAnswered()
        ? begun + "-" + ended + " " + input + " = " + result
        : begun + "-? " + input;
  }
}
