package dev.holdfast.conformance.script;

import org.jspecify.annotations.Nullable;

/** The closure that an operation passes to a method. */
@FunctionalInterface
interface Closure {

  /**
   * Runs the closure.
   *
   * @param parameter what the method passes to it; null for nothing
   * @param synchronous whether it cannot wait for promises
   * @return what it returns
   * @throws Exception what it throws
   */
  @Nullable Object run(@Nullable Target parameter, boolean synchronous) throws Exception;
}
