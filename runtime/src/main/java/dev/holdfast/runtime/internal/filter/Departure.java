package dev.holdfast.runtime.internal.filter;

import dev.holdfast.filter.Headers;
import org.jspecify.annotations.Nullable;

/** A call on the side of its caller. */
public interface Departure extends Described {

  /**
   * Makes the call, perhaps not for the first time.
   *
   * @param headers of the call
   * @param whenHeld what runs before the reply waits for the disk; null for nothing
   * @return the result
   * @throws Throwable whatever the call throws
   */
  @Nullable Object run(Headers headers, @Nullable Runnable whenHeld) throws Throwable;
}
