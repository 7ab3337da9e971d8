package dev.holdfast.conformance.host;

import com.fasterxml.jackson.databind.JsonNode;

/** Passes the steps of one case to its object. Owned by the thread that replays the case. */
public interface CaseHost extends AutoCloseable {

  /**
   * Runs a step.
   *
   * @param step the step
   * @param startMillis the start time of the case, in milliseconds since 1970
   * @return the result, values as texts
   */
  JsonNode step(JsonNode step, long startMillis);

  @Override
  void close();
}
