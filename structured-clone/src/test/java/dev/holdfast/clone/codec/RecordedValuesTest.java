package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.clone.CloneFormatException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Reads what the reference runtime stored and writes it again, entry by entry. {@code
 * proof/conformance} also compares the values that are read with those that the reference read.
 */
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
  Stream<DynamicTest> storedValueReadAndWrittenHasTheSameBytes() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (String file : FILES) {
      for (JsonNode json : load("bytes/" + file)) {
        if (!HOST_OBJECTS.contains(json.get("value").path("$special").asText(""))) {
          tests.add(
              DynamicTest.dynamicTest(
                  file + ": " + json.get("name").textValue(),
                  () ->
                      assertThat(CLONE.encode(CLONE.decode(bytes(json)))).isEqualTo(bytes(json))));
        }
      }
    }
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> handMadeBytesThatTheReferenceRefusesAreRefused() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    for (JsonNode json : load("decode/01-decode")) {
      if (json.has("e")) {
        tests.add(
            DynamicTest.dynamicTest(
                json.get("name").textValue(),
                () ->
                    assertThatThrownBy(() -> CLONE.decode(bytes(json)))
                        .isInstanceOf(CloneFormatException.class)));
      }
    }
    return tests.stream();
  }

  private static byte[] bytes(JsonNode json) {
    return HexFormat.of().parseHex(json.get("hex").textValue());
  }

  /** Returns the entries of a file. */
  static JsonNode load(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            RecordedValuesTest.class.getResourceAsStream("conformance/" + name + ".json"), name)) {
      return new ObjectMapper().readTree(in).get("cases");
    }
  }
}
