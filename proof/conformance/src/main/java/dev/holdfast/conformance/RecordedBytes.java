package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.clone.JsError;
import java.util.HexFormat;

/**
 * A value with its bytes.
 *
 * @param area the file it is from
 * @param json the entry
 */
record RecordedBytes(String area, JsonNode json) {

  String name() {
    return json.path("name").asText();
  }

  String hex() {
    return json.path("hex").asText();
  }

  byte[] bytes() {
    return HexFormat.of().parseHex(hex());
  }

  /** Tells whether the entry says how the value is written; all say how the bytes are read. */
  boolean isWritten() {
    return json.has("value");
  }

  JsError.Form errorForm() {
    return area.contains("legacy") ? JsError.Form.PLAIN : JsError.Form.WITH_PROPERTIES;
  }
}
