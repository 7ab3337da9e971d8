package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.EnumSet;
import java.util.Set;

/**
 * A cursor of a case: its statement, and its counters where it was last seen. Used for one case.
 */
final class CursorTrace {

  /** What may become of a cursor before it is used again. */
  enum Event {
    /** An answer of the reference's cursor was an error. */
    FAILED,
    /** The object has waited. */
    WAITED
  }

  private final String statement;
  private final Set<Event> past = EnumSet.noneOf(Event.class);
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
    if (expected.has("e")) {
      past.add(Event.FAILED);
    }
    if (expected.has("rr")) {
      settles =
          expected.path("rr").asLong() == actual.path("rr").asLong(-1)
              && expected.path("rw").asLong() == actual.path("rw").asLong(-1);
    }
  }

  /** Takes note that the object waits while the cursor is open. */
  void waits() {
    past.add(Event.WAITED);
  }

  /** {@return what has become of the cursor so far} */
  Set<Event> past() {
    return past.isEmpty() ? Set.of() : Set.copyOf(past);
  }

  /** {@return whether both sides count the same in the end, whatever they did on the way} */
  boolean settles() {
    return settles;
  }
}
