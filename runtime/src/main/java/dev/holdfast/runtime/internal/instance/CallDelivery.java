package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.statistics.ExecutionStatus.Kind;
import org.jspecify.annotations.Nullable;

/** How a call becomes a call of object code. Thread-safe. */
@FunctionalInterface
public interface CallDelivery extends Execution.Operation {

  /**
   * Calls the object, in its turn.
   *
   * @param id the object's id
   * @param object the instance's own object
   * @param arguments copies that belong to the object
   * @return a result that belongs to the caller
   * @throws Throwable whatever the object throws
   */
  @Nullable Object deliver(ObjectId id, Object object, @Nullable Object[] arguments)
      throws Throwable;

  /**
   * Called on the caller's side before the reply waits until it may leave.
   *
   * @param call has ended, and its reply depends on a batch
   */
  default void held(Execution call) {}

  /** {@return whether this is a call of the application; false for work of the engine} */
  default boolean isCall() {
    return true;
  }

  @Override
  default Kind kind() {
    return isCall() ? Kind.CALL : Kind.RUNTIME;
  }
}
