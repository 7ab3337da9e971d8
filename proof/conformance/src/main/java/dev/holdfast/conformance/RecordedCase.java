package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A case of the recordings. Immutable as long as its JSON is not changed.
 *
 * @param area its file
 * @param name its name
 * @param steps the steps
 * @param expected the answers of the reference's backends, by their names
 */
record RecordedCase(String area, String name, JsonNode steps, Map<String, JsonNode> expected) {

  private static final Pattern WAITING =
      Pattern.compile("\"(sleep|delay|waitAlarms|downMs|\\$soon)\":");

  /** Returns whether the case ends the process. */
  boolean endsProcess() {
    for (JsonNode step : steps) {
      String restart = step.path("restart").asText();
      if (restart.equals("kill") || restart.equals("term")) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the result of the case depends on the duration of its steps. */
  boolean waits() {
    return WAITING.matcher(steps.toString()).find();
  }
}
