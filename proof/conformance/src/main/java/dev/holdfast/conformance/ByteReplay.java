package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.clone.CloneFormatException;
import dev.holdfast.clone.JsString;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.conformance.value.Foreign;
import dev.holdfast.conformance.value.TaggedValue;
import dev.holdfast.conformance.value.Times;
import dev.holdfast.conformance.value.ValueText;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compares the codec with recorded bytes. */
final class ByteReplay {

  private static final String ENGINE = "codec";
  private static final StructuredClone CLONE = StructuredClone.exact();

  private ByteReplay() {}

  static Verdict replay(RecordedBytes recorded) {
    List<Mismatch> failures = new ArrayList<>();
    List<String> reasons = reasonsToSkip(recorded);
    if (!reasons.isEmpty()) {
      return Verdict.of(recorded.area(), recorded.name(), ENGINE, reasons, failures, List.of());
    }
    try {
      compare("read", recorded, expectedRead(recorded), read(recorded), failures);
      if (recorded.isWritten()) {
        compare("write", recorded, recorded.hex(), written(recorded), failures);
        compare("read and write", recorded, recorded.hex(), rewritten(recorded), failures);
      }
    } catch (RuntimeException e) {
      // An entry that cannot be replayed is a failure of this entry, not of the run.
      compare("replay", recorded, "an answer", e.toString(), failures);
    }
    return Verdict.of(recorded.area(), recorded.name(), ENGINE, reasons, failures, List.of());
  }

  /** Returns the reasons why no Java program can create the value, if any. */
  static List<String> reasonsToSkip(RecordedBytes recorded) {
    JsonNode readback = readback(recorded);
    boolean isRead = recorded.json().has("r") || recorded.json().has("readback");
    return isRead && readback.has("$special")
        ? List.of("no Java counterpart: " + readback.get("$special").asText())
        : List.of();
  }

  /** Returns whether the entry can be read; one that cannot has failed already. */
  static boolean isNotation(RecordedBytes recorded) {
    try {
      expectedRead(recorded);
      if (recorded.isWritten()) {
        value(recorded);
      }
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }

  static void compare(
      String what,
      RecordedBytes recorded,
      String expected,
      String actual,
      List<Mismatch> failures) {
    if (!expected.equals(actual)) {
      failures.add(
          new Mismatch(what, recorded.json().toString(), expected, actual, null, Set.of(), false));
    }
  }

  static String expectedRead(RecordedBytes recorded) {
    if (recorded.json().has("e")) {
      return "error";
    }
    return ValueText.of(
        TaggedValue.parse(readback(recorded), Times.EXPECTED, recorded.errorForm()));
  }

  private static JsonNode readback(RecordedBytes recorded) {
    for (String field : List.of("r", "readback")) {
      if (recorded.json().has(field)) {
        return recorded.json().get(field);
      }
    }
    return recorded.json().path("value");
  }

  private static String read(RecordedBytes recorded) {
    try {
      return ValueText.of(CLONE.decode(recorded.bytes()));
    } catch (CloneFormatException e) {
      return "error";
    }
  }

  private static String written(RecordedBytes recorded) {
    return HexFormat.of().formatHex(CLONE.encode(value(recorded)));
  }

  private static String rewritten(RecordedBytes recorded) {
    return HexFormat.of().formatHex(CLONE.encode(CLONE.decode(recorded.bytes())));
  }

  /**
   * Returns the value of an entry; for a value that only JavaScript can create, the value read
   * back.
   */
  static @Nullable Object value(RecordedBytes recorded) {
    JsonNode json = recorded.json().path("value");
    Object value = TaggedValue.parse(json, RECORDED, recorded.errorForm());
    if (value instanceof Foreign foreign) {
      Object read = TaggedValue.parse(readback(recorded), RECORDED, recorded.errorForm());
      return foreign.name().equals("twoByteAscii") ? new JsString(String.valueOf(read)) : read;
    }
    return value;
  }

  /** Recorded values have no times in them that depend on the moment. */
  private static final Times RECORDED =
      new Times() {
        @Override
        public Object now(long millis) {
          return millis;
        }

        @Override
        public Object nowDate(long millis) {
          return java.time.Instant.ofEpochMilli(millis);
        }

        @Override
        public Object soon(long millis) {
          return millis;
        }
      };
}
