package dev.holdfast.runtime;

import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A call of an object here that another process has sent. It can be withdrawn until it begins: then
 * the object never has it. One that has begun goes on. Thread-safe.
 */
public final class RemoteCall {

  // states: WAITING -> BEGUN, or WAITING -> WITHDRAWN
  private enum State {
    WAITING,
    BEGUN,
    WITHDRAWN
  }

  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

  /** Makes the call; null before. */
  private volatile @Nullable Thread thread;

  /** Creates a call that waits. */
  public RemoteCall() {}

  /**
   * Withdraws the call, unless it has begun. Does not block.
   *
   * @return whether it has not begun, and will not; true for one caller only
   */
  public boolean withdraw() {
    if (!state.compareAndSet(State.WAITING, State.WITHDRAWN)) {
      return false;
    }
    Thread making = thread;
    if (making != null) {
      making.interrupt(); // set before the state is looked at: else it finds the new one
    }
    return true;
  }

  /**
   * Begins the call, or what ends it without the object: it cannot be withdrawn from then on. May
   * be called again.
   *
   * @return false if it was withdrawn
   */
  public boolean begin() {
    return state.compareAndSet(State.WAITING, State.BEGUN) || state.get() == State.BEGUN;
  }

  /**
   * Makes the call, which begins when the object has a turn for it.
   *
   * @param <T> the result
   * @param call calls the object, on this thread, which makes no other call
   * @return its result
   * @throws dev.holdfast.errors.CallInterruptedException if it was withdrawn
   * @throws Exception whatever it throws
   */
  public <T extends @Nullable Object> T make(Callable<T> call) throws Exception {
    ExecutionStack stack = ExecutionStack.current();
    stack.setCancellation(
        new Cancellation() {
          @Override
          public boolean isRequested() {
            return state.get() == State.WITHDRAWN;
          }

          @Override
          public boolean begin() {
            return RemoteCall.this.begin();
          }
        });
    thread = stack.thread();
    return call.call();
  }
}
