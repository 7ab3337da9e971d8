package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.clone.JsError;
import java.util.HexFormat;

/**
 * A value with its bytes.
 *
 * @param area its file
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

  /**
   * Returns whether the entry specifies how the value is written; all specify how the bytes are
   * read.
   */
  boolean isWritten() {
    return json.has("value");
  }

  JsError.Form errorForm() {
    return area.contains("legacy") ? JsError.Form.PLAIN : JsError.Form.WITH_PROPERTIES;
  }
}
