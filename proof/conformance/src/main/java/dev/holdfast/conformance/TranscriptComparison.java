package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Compares the transcript of a case with the transcript of the reference. Used for one case. */
final class TranscriptComparison {

  private final List<Mismatch> differences = new ArrayList<>();
  private final List<String> passedOver = new ArrayList<>();

  private final Map<String, CursorTrace> cursors = new HashMap<>();

  /** The actions of the alarm handler at the current point of the case. */
  private JsonNode handler = MissingNode.getInstance();

  /** Set when the reference's object has stored a value that this runtime's object cannot have. */
  private boolean diverged;

  /** Compares all steps. */
  void compare(JsonNode steps, JsonNode expected, JsonNode actual) {
    for (int i = 0; i < steps.size(); i++) {
      step(Integer.toString(i + 1), steps.get(i), expected.path(i), actual.path(i));
    }
  }

  /** {@return the answers that differ, and errors that do not} */
  List<Mismatch> differences() {
    return differences;
  }

  /** Returns the values without a Java counterpart, which were omitted. */
  List<String> passedOver() {
    return passedOver;
  }

  private void step(String where, JsonNode step, JsonNode expected, JsonNode actual) {
    if (step.has("ops")) {
      request(where, step.get("ops"), expected, actual);
    } else if (step.has("parallel")) {
      JsonNode requests = step.get("parallel");
      for (int i = 0; i < requests.size(); i++) {
        String each = where + "." + (i + 1);
        request(each, requests.get(i).path("ops"), expected.path(i), actual.path(i));
      }
    } else if (step.has("dump")) {
      dump(where, step, expected, actual);
    } else {
      answer(where, step, expected, actual);
    }
  }

  /** Files are compared by their contents, without the white space in the text of a table. */
  private void dump(String where, JsonNode step, JsonNode expected, JsonNode actual) {
    List<String> wanted = new ArrayList<>();
    List<String> given = new ArrayList<>();
    expected
        .properties()
        .forEach(
            part -> {
              if (!part.getKey().equals("journal_mode")) {
                wanted.add(part.getKey() + "=" + withoutOwn(part.getValue()));
                given.add(part.getKey() + "=" + actual.path(part.getKey()));
              }
            });
    String was = normal(wanted);
    String is = normal(given);
    boolean extra = actual.has("kv") && !expected.has("kv");
    if (!diverged && (!was.equals(is) || extra)) {
      differences.add(
          new Mismatch(
              where, step.toString(), was, extra ? actual.toString() : is, null, Set.of(), false));
    }
  }

  /** SQLite's own tables and indexes follow from the others. */
  private static JsonNode withoutOwn(JsonNode part) {
    JsonNode rest = part.deepCopy();
    for (Iterator<JsonNode> rows = rest.elements(); rows.hasNext(); ) {
      if (rows.next().path(1).asText().startsWith("sqlite_")) {
        rows.remove();
      }
    }
    return rest;
  }

  private static String normal(List<String> parts) {
    return String.join(" ", parts).replaceAll("(\\\\n|\\s)+", " ").replaceAll(" ?([(),]) ?", "$1");
  }

  private void request(String where, JsonNode operations, JsonNode expected, JsonNode actual) {
    if (expected.isArray() && actual.isArray()) {
      operations(where, operations, expected, actual);
    } else {
      answer(where, operations, expected, actual);
    }
  }

  private void operations(String where, JsonNode operations, JsonNode expected, JsonNode actual) {
    for (int i = 0; i < operations.size(); i++) {
      String each = where + "." + (i + 1);
      JsonNode operation = operations.get(i);
      // The parts first: a difference in them may be the reason why the whole differs. Operations
      // without a Java counterpart have not happened in the parts either.
      if (operation.has("body") && !actual.path(i).has("passedOver")) {
        operations(
            each,
            operation.get("body"),
            expected.path(i).path("body"),
            actual.path(i).path("body"));
      }
      if (operation.has("sleep")) {
        cursors.values().forEach(CursorTrace::waits);
      }
      if (operation.has("setHandler")) {
        handler = operation.get("setHandler").path("ops");
      }
      if (operation.has("waitAlarms")) {
        alarmRuns(each, operation, expected.path(i), actual.path(i));
      } else {
        answer(each, operation, expected.path(i), actual.path(i));
      }
    }
  }

  /**
   * Compares the information that the handler received and the number of its results, then each
   * result.
   */
  private void alarmRuns(String where, JsonNode operation, JsonNode expected, JsonNode actual) {
    JsonNode counted = expected.deepCopy();
    for (JsonNode run : counted.path("r")) {
      if (run.has("results")) {
        ((ObjectNode) run).put("results", run.get("results").size());
      }
    }
    answer(where, operation, counted, actual);
    for (int i = 0; i < expected.path("r").size(); i++) {
      String each = where + ".run" + (i + 1);
      JsonNode results = expected.path("r").path(i).path("results");
      operations(each, handler, results, actual.path("runs").path(i));
    }
  }

  private void answer(String where, JsonNode operation, JsonNode expected, JsonNode actual) {
    Answer wanted = answerOf(expected, /* ours= */ false);
    if (actual.has("passedOver")) {
      passedOver.add(actual.get("passedOver").asText());
      diverged |= !wanted.failure();
      return;
    }
    Answer given = answerOf(actual, /* ours= */ true);
    CursorTrace cursor = cursorOf(operation);
    Set<CursorTrace.Event> past = cursor == null ? Set.of() : cursor.past();
    if (cursor != null) {
      cursor.see(expected, actual);
    }
    boolean isSame = wanted.covers(given);
    // An operation that failed on both sides may have left different data.
    if (!diverged && (!isSame || wanted.failure())) {
      differences.add(
          new Mismatch(
              where, operation.toString(), wanted.text(), given.text(), cursor, past, isSame));
    }
  }

  /** Returns the cursor that an operation opens or uses; null if there is none. */
  private @Nullable CursorTrace cursorOf(JsonNode operation) {
    CursorTrace cursor = null;
    if (operation.path("on").asText().equals("sql")
        && operation.path("m").asText().equals("exec")) {
      cursor = new CursorTrace(operation.path("a").path(0).asText());
    }
    if (operation.path("on").asText().equals("kv") && operation.path("m").asText().equals("list")) {
      cursor = new CursorTrace("kv.list");
    }
    for (String field : List.of("on", "iter", "spread")) {
      cursor = cursor == null ? cursors.get(operation.path(field).asText()) : cursor;
    }
    if (cursor != null && operation.has("as")) {
      cursors.put(operation.get("as").asText(), cursor);
    }
    return cursor;
  }

  private static Answer answerOf(JsonNode answer, boolean ours) {
    if (answer.isMissingNode()) {
      return new Answer("not reached", false);
    }
    if (answer.isArray()) {
      return new Answer("answered", false);
    }
    return ours ? Answer.actual(answer) : Answer.expected(answer);
  }
}
