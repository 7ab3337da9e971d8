package dev.holdfast.conformance.script;

import java.io.Serial;

/**
 * Thrown when an operation needs a JavaScript value without a Java counterpart: the operation is
 * skipped.
 */
final class NoCounterpart extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  NoCounterpart(String what) {
    super(what);
  }
}
