package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import org.jspecify.annotations.Nullable;

/** Work of an operator in a turn of an object, which runs no code of it. */
final class OperatorTurn {

  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private OperatorTurn() {}

  /**
   * Runs work in a turn of an object, also if its queue is full. Does not wait until what the turn
   * writes is durable.
   *
   * @return what the work has returned
   */
  static @Nullable Object run(Instances instances, ObjectId id, TurnDelivery work) {
    instances.lifecycle().admitFromOutside();
    ExecutionStack stack = ExecutionStack.current();
    stack.enterEngine();
    Message message =
        new Message(
            work, NO_ARGUMENTS, stack.inheritedPosition(instances.parts()), Cancellation.OPERATOR);
    try {
      return instances.deliver(id, stack, stack.top(), message).reply();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Administrative work throws nothing checked.", e);
    }
  }
}
