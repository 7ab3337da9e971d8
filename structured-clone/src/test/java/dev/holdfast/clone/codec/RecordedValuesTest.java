package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.clone.CloneFormatException;
import dev.holdfast.clone.JsError;
import dev.holdfast.clone.JsString;
import dev.holdfast.clone.JsView;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Compares the codec with what the reference runtime stored and read, entry by entry. */
final class RecordedValuesTest {

  static final List<String> FILES =
      List.of(
          "01-primitives",
          "02-strings",
          "03-objects",
          "04-arrays",
          "05-collections",
          "06-binary",
          "07-identity",
          "08-errors-legacy",
          "08-errors",
          "09-host-objects",
          "10-realistic");

  /** Objects of the reference runtime itself: there is no Java value to write. */
  private static final Set<String> HOST_OBJECTS = Set.of("request", "blob");

  private static final StructuredClone CLONE = StructuredClone.exact();

  @TestFactory
  Stream<DynamicTest> valueIsWrittenAsTheReferenceWritesIt() throws IOException {
    return byteCases(
        (name, json, form) -> {
          if (HOST_OBJECTS.contains(special(json))) {
            return null;
          }
          Object value = value(json, form);
          return () -> assertThat(hex(CLONE.encode(value))).isEqualTo(json.get("hex").textValue());
        });
  }

  @TestFactory
  Stream<DynamicTest> storedValueIsReadAsTheReferenceReadsIt() throws IOException {
    return byteCases(
        (name, json, form) -> {
          if (HOST_OBJECTS.contains(special(json))) {
            return null;
          }
          JsonNode expected = json.has("readback") ? json.get("readback") : json.get("value");
          return () ->
              assertThat(ValueForm.of(CLONE.decode(bytes(json))))
                  .isEqualTo(ValueForm.of(TaggedJson.parse(expected, form)));
        });
  }

  @TestFactory
  Stream<DynamicTest> storedValueReadAndWrittenHasTheSameBytes() throws IOException {
    return byteCases(
        (name, json, form) -> {
          if (HOST_OBJECTS.contains(special(json))) {
            return null;
          }
          return () ->
              assertThat(hex(CLONE.encode(CLONE.decode(bytes(json)))))
                  .isEqualTo(json.get("hex").textValue());
        });
  }

  @TestFactory
  Stream<DynamicTest> handMadeBytesAreReadAsTheReferenceReadsThem() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode json : load("decode/01-decode").get("cases")) {
      tests.add(
          DynamicTest.dynamicTest(
              json.get("name").textValue(),
              () -> {
                if (json.has("e")) {
                  assertThatThrownBy(() -> CLONE.decode(bytes(json)))
                      .isInstanceOf(CloneFormatException.class);
                } else {
                  Object expected = TaggedJson.parse(json.get("r"), JsError.Form.WITH_PROPERTIES);
                  assertThat(ValueForm.of(CLONE.decode(bytes(json))))
                      .isEqualTo(ValueForm.of(expected));
                }
              }));
    }
    return tests.stream();
  }

  /** Creates the test of one entry; null if the entry has none. */
  @FunctionalInterface
  private interface Case {
    org.junit.jupiter.api.function.@Nullable Executable of(
        String name, JsonNode json, JsError.Form form);
  }

  private static Stream<DynamicTest> byteCases(Case cases) throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (String file : FILES) {
      JsError.Form form =
          file.contains("legacy") ? JsError.Form.PLAIN : JsError.Form.WITH_PROPERTIES;
      for (JsonNode json : load("bytes/" + file).get("cases")) {
        String name = file + ": " + json.get("name").textValue();
        var test = cases.of(name, json, form);
        if (test != null) {
          tests.add(DynamicTest.dynamicTest(name, test));
        }
      }
    }
    return tests.stream();
  }

  /** The value of an entry; for a value that only JavaScript can create, the value read back. */
  private static @Nullable Object value(JsonNode json, JsError.Form form) {
    if (special(json).isEmpty()) {
      return TaggedJson.parse(json.get("value"), form);
    }
    Object value = TaggedJson.parse(json.get("readback"), form);
    if (special(json).equals("lengthTracking") && value instanceof JsView view) {
      return new JsView(view.kind(), view.buffer(), 0, view.byteLength(), true);
    }
    return special(json).equals("twoByteAscii") ? new JsString((String) value) : value;
  }

  private static String special(JsonNode json) {
    return json.get("value").path("$special").asText("");
  }

  private static byte[] bytes(JsonNode json) {
    return HexFormat.of().parseHex(json.get("hex").textValue());
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static JsonNode load(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            RecordedValuesTest.class.getResourceAsStream("conformance/" + name + ".json"), name)) {
      return new ObjectMapper().readTree(in);
    }
  }
}
