package dev.holdfast.histories;

/**
 * What an object does that runs one call after the other. Immutable.
 *
 * @param <S> a state; compared with {@code equals}
 * @param <I> what is called
 * @param <R> what is answered; compared with {@code equals}
 */
public interface Model<S, I, R> {

  /** {@return the state of an object that was never called} */
  S initial();

  /**
   * {@return what a call does and answers}
   *
   * @param state the state before the call
   * @param input the call
   */
  Applied<S, R> apply(S state, I input);

  /**
   * What a call has done.
   *
   * @param <S> a state
   * @param <R> an answer
   * @param state the state after it
   * @param result its answer
   */
  record Applied<S, R>(S state, R result) {}
}
