package dev.holdfast.conformance.script;

import org.jspecify.annotations.Nullable;

/**
 * What an operation that was not awaited came to. Java's storage has no promises: it was done when
 * the call returned.
 *
 * @param value the result
 * @param failure what it failed with, told when it is awaited; null if it did not
 */
record Promise(@Nullable Object value, @Nullable Exception failure) {

  @Nullable Object result() throws Exception {
    if (failure != null) {
      throw failure;
    }
    return value;
  }
}
