package dev.holdfast.runtime.internal.gate;

import org.jspecify.annotations.Nullable;

/** Something of which it is known which execution has to bring it about. */
@FunctionalInterface
public interface Worker {

  /** {@return what has to go on first; null if that is not known or not any more} */
  @Nullable Waiter producer();
}
