package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.conformance.value.TaggedValue;
import dev.holdfast.conformance.value.Times;
import dev.holdfast.conformance.value.ValueText;
import java.util.Set;
import java.util.TreeMap;

/**
 * The result of one operation, as a text that can be compared.
 *
 * @param text everything except a message that is not part of the interface
 * @param failure whether it is an error
 */
record Answer(String text, boolean failure) {

  /** Errors whose wording depends on the JavaScript engine, or that hide their kind. */
  private static final Set<String> WORDING_IS_FREE =
      Set.of("Maximum call stack size exceeded", "Failed to execute");

  private static final String DATABASE_DELETED = "because the database was deleted";

  private static final String RESET = ", object reset";

  private static final String INTERNAL = "internal error";

  /** Values that are compared literally, not as notations of values. */
  private static final Set<String> PLAIN =
      Set.of("rr", "rw", "skip", "throw", "return", "log", "restarted", "file");

  /** Reads an answer of the reference. */
  static Answer expected(JsonNode json) {
    return of(json, /* notation= */ true);
  }

  /** Reads an answer of this runtime, whose values are texts already. */
  static Answer actual(JsonNode json) {
    return of(json, /* notation= */ false);
  }

  /** Returns whether an answer of this runtime matches the reference's answer. */
  boolean covers(Answer actual) {
    return text.equals(actual.text)
        // The reference does not always report that it was reset.
        || text.equals(actual.text.replace(RESET, ""))
        || (failure && actual.failure && isInternal())
        || (failure && actual.failure && text.endsWith(": *") && sameKind(actual));
  }

  private boolean isInternal() {
    return text.startsWith(INTERNAL);
  }

  private boolean sameKind(Answer actual) {
    String kind = text.substring(0, text.length() - 1);
    return actual.text.startsWith(kind);
  }

  private static Answer of(JsonNode json, boolean notation) {
    if (json.has("fatal")) {
      JsonNode fatal = json.get("fatal");
      boolean reset = fatal.path("durableObjectReset").asBoolean();
      return new Answer(
          error(fatal, notation, "request failed" + (reset ? RESET : "") + ": "), true);
    }
    if (json.has("e")) {
      // A deleted cursor has no counters.
      boolean gone = json.has("probe") || text(json.get("e")).contains(DATABASE_DELETED);
      return new Answer(error(json.get("e"), notation, "") + (gone ? "" : counters(json)), true);
    }
    TreeMap<String, String> fields = new TreeMap<>();
    json.properties().forEach(field -> fields.put(field.getKey(), field(field, notation)));
    fields.remove("body");
    fields.remove("runs");
    fields.remove("sync");
    fields.remove("probe");
    StringBuilder text = new StringBuilder();
    fields.forEach(
        (name, value) -> text.append(text.isEmpty() ? "" : " ").append(named(name, value)));
    return new Answer(text.isEmpty() ? "done" : text.toString(), false);
  }

  private static String named(String name, String value) {
    return name.equals("r") ? value : name + "=" + value;
  }

  private static String field(java.util.Map.Entry<String, JsonNode> field, boolean notation) {
    JsonNode value = field.getValue();
    if (PLAIN.contains(field.getKey())) {
      return value.asText();
    }
    return notation ? ValueText.of(TaggedValue.parse(value, Times.EXPECTED)) : value.asText();
  }

  private static String text(JsonNode error) {
    return error.path("message").asText();
  }

  private static String counters(JsonNode json) {
    return json.has("rr") ? " rr=" + json.get("rr") + " rw=" + json.get("rw") : "";
  }

  private static String error(JsonNode error, boolean notation, String before) {
    String name = error.path("name").asText();
    String message = error.path("message").asText();
    if (notation && message.startsWith(INTERNAL)) {
      return INTERNAL;
    }
    boolean free = name.equals("DataCloneError") || WORDING_IS_FREE.contains(message);
    return before + name + ": " + (notation && free ? "*" : message);
  }
}
