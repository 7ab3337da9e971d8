package dev.holdfast.conformance.script;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsView;
import dev.holdfast.conformance.value.Foreign;
import dev.holdfast.conformance.value.Shown;
import dev.holdfast.conformance.value.TaggedValue;
import dev.holdfast.conformance.value.ValueText;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Executes the operations of a recording and records the results. Owned by the turns of its object.
 */
final class Interpreter {

  /** Ends a closure with a value. */
  private record Returned(@Nullable Object value) {}

  private final ObjectContext context;
  private final Map<String, Target> targets;
  private final ObjectTimes times = new ObjectTimes();
  private final Map<String, @Nullable Object> slots = new HashMap<>();
  private final List<String> log = new ArrayList<>();
  private final HandlerRuns alarms = new HandlerRuns(times);

  Interpreter(ObjectContext context) {
    this.context = context;
    this.targets =
        Map.of(
            "storage", new StorageTarget(context),
            "ctx", new ContextTarget(context),
            "sql", new SqlTarget(context.storage()),
            "kv", new SyncKeyValueTarget(context.storage()));
  }

  /** Runs the operations of a request. */
  ArrayNode run(JsonNode operations, long startMillis) {
    times.startAt(startMillis);
    ArrayNode results = JsonNodeFactory.instance.arrayNode();
    try {
      runAll(operations, results, /* synchronous= */ false);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return results;
  }

  private @Nullable Returned runAll(JsonNode operations, ArrayNode results, boolean synchronous)
      throws Exception {
    for (JsonNode operation : operations) {
      Returned returned = runOne(operation, results.addObject(), synchronous);
      if (returned != null) {
        return returned;
      }
    }
    return null;
  }

  private @Nullable Returned runOne(JsonNode operation, ObjectNode result, boolean synchronous)
      throws Exception {
    if (operation.has("return")) {
      result.put("return", true);
      return new Returned(TaggedValue.parse(operation.get("return"), times));
    }
    if (operation.has("throw")) {
      result.put("throw", true);
      throw JsFailure.error(operation.get("throw").asText());
    }
    if (operation.has("log")) {
      log.add(operation.get("log").asText());
      result.put("log", true);
    } else if (operation.has("setHandler")) {
      alarms.handleBy(operation.get("setHandler"));
      result.put("r", ValueText.of("set"));
    } else if (operation.has("waitAlarms")) {
      alarms.await(context, operation, result);
    } else if (operation.has("sleep")) {
      sleep(operation.get("sleep").asLong());
    } else {
      attempt(operation, result, synchronous);
    }
    return null;
  }

  /** The object's alarm handler. */
  void alarm(AlarmInfo alarm) throws Exception {
    JsonNode handler = alarms.handler();
    ArrayNode results = handler == null ? null : JsonNodeFactory.instance.arrayNode();
    boolean failed = true;
    try {
      if (handler != null && results != null) {
        runAll(handler.path("ops"), results, /* synchronous= */ false);
      }
      failed = alarms.takeFailure();
      if (failed) {
        throw JsFailure.error("a planned failure of the handler");
      }
    } finally {
      alarms.add(alarm, results, failed);
    }
  }

  private void sleep(long millis) {
    context.await(
        new CompletableFuture<@Nullable Object>()
            .completeOnTimeout(null, millis, TimeUnit.MILLISECONDS));
  }

  private void attempt(JsonNode operation, ObjectNode result, boolean synchronous)
      throws Exception {
    CursorTarget cursor = null;
    try {
      JsonNode slot = slotOf(operation);
      if (slot != null && !slots.containsKey(slot.asText())) {
        result.put("skip", true);
        return;
      }
      cursor = slot == null ? null : cursorOf(slots.get(slot.asText()));
      Object value = perform(operation, result, synchronous);
      if (operation.has("as")) {
        slots.put(operation.get("as").asText(), value);
      }
      if (value instanceof CursorTarget opened) {
        cursor = opened;
        result.put("cols", ValueText.of(opened.columnNames()));
      } else {
        result.put("r", ValueText.of(shown(value, operation)));
      }
    } catch (NoCounterpart e) {
      result.put("passedOver", e.getMessage());
    } catch (InstanceResetException e) {
      throw e;
    } catch (Exception e) {
      result.set("e", Errors.describe(e));
      if (operation.path("rethrow").asBoolean()) {
        throw e;
      }
    } finally {
      if (cursor != null) {
        recordCounters(cursor, result);
      }
    }
  }

  /** The slot that an operation needs to exist; null if it needs none. */
  private @Nullable JsonNode slotOf(JsonNode operation) {
    for (String field : List.of("on", "iter", "spread")) {
      if (operation.has(field)) {
        return targets.containsKey(operation.get(field).asText()) ? null : operation.get(field);
      }
    }
    return null;
  }

  private static @Nullable CursorTarget cursorOf(@Nullable Object value) {
    return switch (value) {
      case CursorTarget cursor -> cursor;
      case IteratorTarget iterator -> iterator.cursor();
      case null, default -> null;
    };
  }

  private static void recordCounters(CursorTarget cursor, ObjectNode result) {
    try {
      cursor.counters().forEach((name, count) -> result.put(name, count));
    } catch (RuntimeException e) {
      result.set("probe", Errors.describe(e));
    }
  }

  private @Nullable Object perform(JsonNode operation, ObjectNode result, boolean synchronous)
      throws Exception {
    if (operation.has("takeLog")) {
      JsArray lines = new JsArray(log);
      log.clear();
      return lines;
    }
    if (operation.has("spread")) {
      return IteratorTarget.all(iterator(operation.get("spread")));
    }
    if (operation.has("iter")) {
      int count = operation.path("n").asInt(Integer.MAX_VALUE);
      return IteratorTarget.first(iterator(operation.get("iter")), count);
    }
    Target target = target(operation);
    if (operation.has("get")) {
      return target.property(operation.get("get").asText());
    }
    if (!operation.has("m")) {
      throw new IllegalStateException("unknown operation " + operation);
    }
    String method = operation.get("m").asText();
    boolean unawaited = operation.path("nowait").asBoolean() || synchronous;
    if (unawaited && operation.has("body") && target.isAsynchronous(method)) {
      // It would run at once; the reference runs it when the present function waits or returns.
      throw new NoCounterpart(method + " with a closure that is not awaited");
    }
    if (!unawaited || !target.isAsynchronous(method)) {
      return call(target, method, operation, result);
    }
    try {
      return new Promise(call(target, method, operation, result), null);
    } catch (NoCounterpart | InstanceResetException e) {
      throw e;
    } catch (Exception e) {
      return new Promise(null, e);
    }
  }

  private java.util.Iterator<@Nullable Object> iterator(JsonNode slot) {
    Object value = slots.get(slot.asText());
    return switch (value) {
      case CursorTarget cursor -> cursor;
      case IteratorTarget iterator -> iterator;
      case null, default -> ValueTarget.iterate(value);
    };
  }

  private Target target(JsonNode operation) {
    String on = operation.path("on").asText("storage");
    Target target = targets.get(on);
    if (target != null) {
      return target;
    }
    Object value = slots.get(on);
    return value instanceof Target slot ? slot : new ValueTarget(value);
  }

  private @Nullable Object call(Target target, String method, JsonNode operation, ObjectNode result)
      throws Exception {
    List<@Nullable Object> arguments = new ArrayList<>();
    for (JsonNode argument : operation.path("a")) {
      arguments.add(TaggedValue.parse(argument, times));
    }
    return target.call(method, arguments, closure(operation, arguments, result));
  }

  private @Nullable Closure closure(
      JsonNode operation, List<@Nullable Object> arguments, ObjectNode result) {
    if (operation.has("body")) {
      String name = operation.path("txn").asText("txn");
      return (parameter, synchronous) -> {
        if (parameter != null) {
          slots.put(name, parameter);
        }
        Returned returned = runAll(operation.get("body"), result.putArray("body"), synchronous);
        return returned == null ? JsUndefined.UNDEFINED : awaited(returned.value());
      };
    }
    return arguments.isEmpty() ? null : foreignClosure(arguments.getFirst());
  }

  /**
   * The functions that recordings name: one that returns 1, and a class, which cannot be called.
   */
  private static @Nullable Closure foreignClosure(@Nullable Object argument) {
    if (!(argument instanceof Foreign foreign)) {
      return null;
    }
    return switch (foreign.name()) {
      case "arrow" -> (parameter, synchronous) -> 1L;
      case "function" -> (parameter, synchronous) -> JsUndefined.UNDEFINED;
      case "class" ->
          (parameter, synchronous) -> {
            throw JsFailure.typeError("Class constructor Point cannot be invoked without 'new'");
          };
      default -> null;
    };
  }

  /** Awaits a returned promise; the recordings' own promise has the value 1. */
  private static @Nullable Object awaited(@Nullable Object value) {
    return value instanceof Foreign foreign && foreign.name().equals("promise")
        ? (Object) 1L
        : value;
  }

  /** A result in the form of the recordings. */
  private @Nullable Object shown(@Nullable Object value, JsonNode operation) {
    if (value instanceof Promise) {
      return Shown.object("promise");
    }
    if (value instanceof IteratorTarget iterator) {
      return iterator.shown();
    }
    if (operation.path("quiet").asBoolean()) {
      return Shown.size(size(value));
    }
    JsonNode relative = operation.path("rel");
    if (relative.isMissingNode()) {
      return value;
    }
    return times.show(value, relative.asText().equals("clamped"));
  }

  private static String size(@Nullable Object value) {
    return switch (value) {
      case JsObject _ -> "object";
      case JsView view when view.kind() != JsView.Kind.DATA_VIEW ->
          Integer.toString(view.byteLength() / view.kind().elementBytes());
      case Map<?, ?> map -> Integer.toString(map.size());
      case java.util.Collection<?> all -> Integer.toString(all.size());
      case String text -> Integer.toString(text.length());
      case Long _, Double _ -> "number";
      case Boolean _ -> "boolean";
      case BigInteger _ -> "bigint";
      case JsUndefined _ -> "undefined";
      case null, default -> "object";
    };
  }
}
