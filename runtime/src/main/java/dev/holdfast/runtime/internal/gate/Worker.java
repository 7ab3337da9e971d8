package dev.holdfast.runtime.internal.gate;

import org.jspecify.annotations.Nullable;

/** Something of which it is known who has to bring it about. */
@FunctionalInterface
public interface Worker {

  /** {@return who has to go on first; null if that is not known or not any more} */
  @Nullable Waiter producer();
}
