package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A case of the recordings. Immutable as long as nobody changes its JSON.
 *
 * @param area the file it is from
 * @param name its name
 * @param steps what is done
 * @param expected what the reference's backends answered, by their names
 */
record RecordedCase(String area, String name, JsonNode steps, Map<String, JsonNode> expected) {

  private static final Pattern WAITING =
      Pattern.compile("\"(sleep|delay|waitAlarms|downMs|\\$soon)\":");

  /** Tells whether the case ends the process. */
  boolean endsProcess() {
    for (JsonNode step : steps) {
      String restart = step.path("restart").asText();
      if (restart.equals("kill") || restart.equals("term")) {
        return true;
      }
    }
    return false;
  }

  /** Tells whether what comes of the case depends on how long its steps take. */
  boolean waits() {
    return WAITING.matcher(steps.toString()).find();
  }
}
