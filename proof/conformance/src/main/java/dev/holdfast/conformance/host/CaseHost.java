package dev.holdfast.conformance.host;

import com.fasterxml.jackson.databind.JsonNode;

/** Takes the steps of one case to its object. Owned by the thread that replays the case. */
public interface CaseHost extends AutoCloseable {

  /**
   * Does a step.
   *
   * @param step the step
   * @param startMillis when the case began, in milliseconds since 1970
   * @return what came of it, values as texts
   */
  JsonNode step(JsonNode step, long startMillis);

  @Override
  void close();
}
