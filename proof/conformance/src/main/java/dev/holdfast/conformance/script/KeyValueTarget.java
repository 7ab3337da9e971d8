package dev.holdfast.conformance.script;

import static dev.holdfast.conformance.script.Target.argument;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.conformance.value.Foreign;
import dev.holdfast.conformance.value.SharedBuffer;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.WriteOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The key-value methods of the storage and of a transaction, with JavaScript's arguments. */
final class KeyValueTarget {

  private final String owner;
  private final KeyValueCalls calls;

  KeyValueTarget(String owner, KeyValueCalls calls) {
    this.owner = owner;
    this.calls = calls;
  }

  @Nullable Object get(List<@Nullable Object> arguments) {
    Object key = keyOrKeys("get", arguments);
    ReadOptions options = readOptions("get", 2, "GetOptions", argument(arguments, 1));
    return key instanceof JsArray keys
        ? stored(calls.get(texts(keys), options))
        : calls.get(Conversions.text(key), options);
  }

  Object put(List<@Nullable Object> arguments) {
    if (arguments.isEmpty()) {
      throw JsFailure.argument("put", owner, 1, "string or object");
    }
    Object first = arguments.getFirst();
    // The reference converts all arguments before it checks them.
    WriteOptions options = writeOptions("put", 3, "PutOptions", argument(arguments, 2));
    if (!Conversions.isPrimitive(first) && !(first instanceof JsArray)) {
      if (arguments.size() > 1
          && Conversions.isPrimitive(arguments.get(1))
          && !Conversions.isMissing(arguments.get(1))) {
        throw JsFailure.typeError(
            "put() may only be called with a single key-value pair and optional options as"
                + " put(key, value, options) or with multiple key-value pairs and optional options"
                + " as put(entries, options)");
      }
      calls.put(entries(first), writeOptions("put", 2, "PutOptions", argument(arguments, 1)));
      return JsUndefined.UNDEFINED;
    }
    Object value = argument(arguments, 1);
    if (value == JsUndefined.UNDEFINED) {
      throw JsFailure.typeError("put() called with undefined value.");
    }
    calls.put(Conversions.text(first), storable(value), options);
    return JsUndefined.UNDEFINED;
  }

  Object delete(List<@Nullable Object> arguments) {
    Object key = keyOrKeys("delete", arguments);
    WriteOptions options = writeOptions("delete", 2, "PutOptions", argument(arguments, 1));
    if (key instanceof JsArray keys) {
      return (long) calls.delete(texts(keys), options);
    }
    return calls.delete(Conversions.text(key), options);
  }

  Object list(List<@Nullable Object> arguments) {
    return stored(calls.list(listOptions(owner, argument(arguments, 0))));
  }

  private static JsMap stored(Map<String, Object> pairs) {
    Map<String, Object> shown = new LinkedHashMap<>();
    pairs.forEach((key, value) -> shown.put(Conversions.storedKey(key), value));
    return new JsMap(shown);
  }

  @Nullable Object getAlarm(List<@Nullable Object> arguments) {
    ReadOptions options = readOptions("getAlarm", 1, "GetAlarmOptions", argument(arguments, 0));
    return calls.getAlarm(options).map(Instant::toEpochMilli).orElse(null);
  }

  Object setAlarm(List<@Nullable Object> arguments) {
    Instant time = Conversions.time("setAlarm", owner, argument(arguments, 0));
    calls.setAlarm(time, writeOptions("setAlarm", 2, "SetAlarmOptions", argument(arguments, 1)));
    return JsUndefined.UNDEFINED;
  }

  Object deleteAlarm(List<@Nullable Object> arguments) {
    calls.deleteAlarm(writeOptions("deleteAlarm", 1, "SetAlarmOptions", argument(arguments, 0)));
    return JsUndefined.UNDEFINED;
  }

  private Object keyOrKeys(String method, List<@Nullable Object> arguments) {
    if (arguments.isEmpty()) {
      throw JsFailure.argument(method, owner, 1, "string or Array");
    }
    return arguments.getFirst() instanceof JsArray keys
        ? keys
        : Conversions.text(arguments.getFirst());
  }

  private static List<String> texts(JsArray keys) {
    List<String> texts = new ArrayList<>(keys.size());
    for (Object key : keys) {
      texts.add(Conversions.text(key));
    }
    return texts;
  }

  /** The own properties of an object, without those that are undefined. */
  private static Map<String, Object> entries(@Nullable Object object) {
    Map<String, @Nullable Object> properties = new LinkedHashMap<>();
    switch (object) {
      case JsObject entries -> properties.putAll(entries);
      case null, default -> {
        // Maps, dates and the like have no other properties.
      }
    }
    properties.values().removeIf(value -> value == JsUndefined.UNDEFINED);
    properties.values().forEach(KeyValueTarget::storable);
    return nonNull(properties);
  }

  // A value may be null: the storage takes it as JavaScript's null.
  @SuppressWarnings({"unchecked", "NullAway"})
  private static Map<String, Object> nonNull(Map<String, @Nullable Object> properties) {
    return (Map<String, Object>) (Map<String, ?>) properties;
  }

  /** Values that the reference stores and Java does not have are skipped. */
  @SuppressWarnings("NullAway") // null is JavaScript's null
  static Object storable(@Nullable Object value) {
    if (value instanceof Foreign foreign
        && (foreign.isStored() || foreign.name().equals("throwingGetter"))) {
      throw new NoCounterpart(foreign.name());
    }
    if (value instanceof SharedBuffer) {
      throw new NoCounterpart("SharedArrayBuffer");
    }
    return value;
  }

  private ReadOptions readOptions(
      String method, int parameter, String type, @Nullable Object given) {
    Object options = Conversions.options(method, owner, parameter, type, given);
    return read(options);
  }

  private static ReadOptions read(@Nullable Object options) {
    return new ReadOptions(
        Conversions.isTrue(Conversions.property(options, "allowConcurrency")),
        Conversions.isTrue(Conversions.property(options, "noCache")));
  }

  WriteOptions writeOptions(String method, int parameter, String type, @Nullable Object given) {
    Object options = Conversions.options(method, owner, parameter, type, given);
    return new WriteOptions(
        Conversions.isTrue(Conversions.property(options, "allowUnconfirmed")),
        Conversions.isTrue(Conversions.property(options, "noCache")));
  }

  static ListOptions listOptions(String owner, @Nullable Object given) {
    Object options = Conversions.options("list", owner, 1, "ListOptions", given);
    String start = text(options, "start");
    String startAfter = text(options, "startAfter");
    Object limit = Conversions.property(options, "limit");
    if (start != null && startAfter != null) {
      // The reference checks this before the limit, as does the record.
      return new ListOptions(start, startAfter, null, null, false, 1, ReadOptions.DEFAULT);
    }
    return new ListOptions(
        start,
        startAfter,
        text(options, "end"),
        text(options, "prefix"),
        Conversions.isTrue(Conversions.property(options, "reverse")),
        limit == JsUndefined.UNDEFINED ? Integer.MAX_VALUE : Conversions.int32(limit),
        read(options));
  }

  private static @Nullable String text(@Nullable Object options, String name) {
    Object value = Conversions.property(options, name);
    return value == JsUndefined.UNDEFINED ? null : Conversions.text(value);
  }
}
