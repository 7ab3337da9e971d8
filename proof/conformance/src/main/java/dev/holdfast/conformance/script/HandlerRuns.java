package dev.holdfast.conformance.script;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsObject;
import dev.holdfast.conformance.value.ValueText;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The actions of the object's alarm handler, and its runs that are not reported yet. Owned by the
 * turns of its object.
 */
final class HandlerRuns {

  /** The default time that the reference's recorder waited. */
  private static final long TIMEOUT_MILLIS = 10_000;

  /**
   * A run of the handler.
   *
   * @param alarm the information that the handler received
   * @param late whether the alarm was due
   * @param results the results of the operations; null if the handler had no operations
   * @param failed whether the handler threw
   */
  private record Run(AlarmInfo alarm, boolean late, @Nullable ArrayNode results, boolean failed) {}

  private final ObjectTimes times;
  private final Deque<Run> runs = new ArrayDeque<>();
  private @Nullable JsonNode handler;
  private int failuresLeft;
  private CompletableFuture<@Nullable Object> next = new CompletableFuture<>();

  HandlerRuns(ObjectTimes times) {
    this.times = times;
  }

  /** Sets the handler's actions from now on, and how often it fails. */
  void handleBy(JsonNode newHandler) {
    handler = newHandler;
    failuresLeft = newHandler.path("fail").asInt();
  }

  /** {@return the actions of the handler; null if none are set} */
  @Nullable JsonNode handler() {
    return handler;
  }

  /** {@return whether this run must fail} */
  boolean takeFailure() {
    if (failuresLeft == 0) {
      return false;
    }
    failuresLeft--;
    return true;
  }

  void add(AlarmInfo alarm, @Nullable ArrayNode results, boolean failed) {
    runs.add(new Run(alarm, !Instant.now().isBefore(alarm.scheduledTime()), results, failed));
    CompletableFuture<@Nullable Object> waiting = next;
    next = new CompletableFuture<>();
    waiting.complete(null);
  }

  /** Waits for runs for a limited time, and reports those that took place. */
  void await(ObjectContext context, JsonNode operation, ObjectNode result) {
    int count = operation.get("waitAlarms").asInt();
    long endMillis = System.currentTimeMillis() + operation.path("timeout").asLong(TIMEOUT_MILLIS);
    for (long leftMillis = endMillis - System.currentTimeMillis();
        runs.size() < count && leftMillis > 0;
        leftMillis = endMillis - System.currentTimeMillis()) {
      context.await(next.copy().completeOnTimeout(null, leftMillis, TimeUnit.MILLISECONDS));
    }
    List<Run> taken = new ArrayList<>();
    while (taken.size() < count && !runs.isEmpty()) {
      taken.add(runs.remove());
    }
    report(taken, operation.path("rel").asText().equals("clamped"), result);
  }

  /** The results of the operations are separate: they are compared one by one. */
  private void report(List<Run> taken, boolean asPresent, ObjectNode result) {
    JsArray described = new JsArray();
    ArrayNode results = result.putArray("runs");
    for (Run run : taken) {
      described.add(describe(run, asPresent));
      ArrayNode own = results.addArray();
      if (run.results() != null) {
        own.addAll(run.results());
      }
    }
    result.put("r", ValueText.of(described));
  }

  private JsObject describe(Run run, boolean asPresent) {
    JsObject described = new JsObject();
    described.put("scheduled", times.show(run.alarm().scheduledTime().toEpochMilli(), asPresent));
    described.put("isRetry", run.alarm().isRetry());
    described.put("retryCount", (long) run.alarm().retryCount());
    described.put("late", run.late());
    if (run.results() != null) {
      described.put("results", (long) run.results().size());
      described.put("failed", run.failed());
    }
    return described;
  }
}
