package dev.holdfast.conformance.script;

import org.jspecify.annotations.Nullable;

/**
 * The result of an operation that was not awaited. Java's storage has no promises: the operation
 * was complete when the call returned.
 *
 * @param value the result
 * @param failure its failure, thrown when it is awaited; null if it succeeded
 */
record Promise(@Nullable Object value, @Nullable Exception failure) {

  @Nullable Object result() throws Exception {
    if (failure != null) {
      throw failure;
    }
    return value;
  }
}
