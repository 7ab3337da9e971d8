package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.EnumSet;
import java.util.Set;

/** A cursor of a case: its statement, and its counters when it was last seen. Used for one case. */
final class CursorTrace {

  /** The events of a cursor before it is used again. */
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

  /** Records the counters on both sides, if there are any. */
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

  /** Records that the object waits while the cursor is open. */
  void waits() {
    past.add(Event.WAITED);
  }

  /** {@return the events of the cursor so far} */
  Set<Event> past() {
    return past.isEmpty() ? Set.of() : Set.copyOf(past);
  }

  /** {@return whether both sides have the same final counts, independent of intermediate ones} */
  boolean settles() {
    return settles;
  }
}
