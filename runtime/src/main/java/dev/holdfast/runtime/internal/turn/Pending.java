package dev.holdfast.runtime.internal.turn;

import dev.holdfast.runtime.internal.gate.Waiter;
import dev.holdfast.runtime.internal.gate.Worker;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Something an execution can wait for, of which it is known which execution has to bring it about.
 */
@FunctionalInterface
public interface Pending extends Worker {

  /** {@return the execution that has to go on first; null if that is not known or not any more} */
  @Override
  @Nullable Execution producer();

  /**
   * Names every execution that has to go on first.
   *
   * @param action what to do with each
   */
  default void producers(Consumer<Waiter> action) {
    Execution producer = producer();
    if (producer != null) {
      action.accept(producer);
    }
  }
}
