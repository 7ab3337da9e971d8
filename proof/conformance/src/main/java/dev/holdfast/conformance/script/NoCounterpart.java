package dev.holdfast.conformance.script;

import java.io.Serial;

/** An operation needs a JavaScript value that no Java program has: it is passed over. */
final class NoCounterpart extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  NoCounterpart(String what) {
    super(what);
  }
}
