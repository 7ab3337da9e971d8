package dev.holdfast.examples.conformance;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A cursor of a case: its statement, and its counters where it was last seen. Used for one case.
 */
final class CursorTrace {

  private final String statement;
  private boolean settles;

  CursorTrace(String statement) {
    this.statement = statement;
  }

  /** {@return the text of the statement} */
  String statement() {
    return statement;
  }

  /** Takes note of the counters on both sides, where there are any. */
  void see(JsonNode expected, JsonNode actual) {
    if (expected.has("rr")) {
      settles =
          expected.path("rr").asLong() == actual.path("rr").asLong(-1)
              && expected.path("rw").asLong() == actual.path("rw").asLong(-1);
    }
  }

  /** {@return whether both sides count the same in the end, whatever they did on the way} */
  boolean settles() {
    return settles;
  }
}
