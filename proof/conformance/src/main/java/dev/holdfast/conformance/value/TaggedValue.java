package dev.holdfast.conformance.value;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsBoxed;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsDomException;
import dev.holdfast.clone.JsError;
import dev.holdfast.clone.JsInvalidDate;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsRegExp;
import dev.holdfast.clone.JsSet;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsView;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts tagged JSON, the notation of the recordings, to Java values. Used for one value. */
public final class TaggedValue {

  private static final long EXACT_INTEGER_MAX = 1L << 53;

  private final Times times;
  private final JsError.Form errorForm;
  private final Map<Integer, Object> objects = new HashMap<>();
  private @Nullable Integer nextId;

  private TaggedValue(Times times, JsError.Form errorForm) {
    this.times = times;
    this.errorForm = errorForm;
  }

  /**
   * Reads a value.
   *
   * @param json its notation
   * @param times the meaning of times in it
   * @return the value
   * @throws IllegalArgumentException if the notation has a tag that does not exist
   */
  public static @Nullable Object parse(JsonNode json, Times times) {
    return parse(json, times, JsError.Form.WITH_PROPERTIES);
  }

  /**
   * Reads a value.
   *
   * @param json its notation
   * @param times the meaning of times in it
   * @param errorForm the form in which errors are stored
   * @return the value
   * @throws IllegalArgumentException if the notation has a tag that does not exist
   */
  public static @Nullable Object parse(JsonNode json, Times times, JsError.Form errorForm) {
    return new TaggedValue(times, errorForm).value(json);
  }

  private @Nullable Object value(JsonNode json) {
    return switch (json.getNodeType()) {
      case NULL -> null;
      case BOOLEAN -> json.booleanValue();
      case STRING -> json.textValue();
      case NUMBER -> number(json);
      case ARRAY -> array(json);
      case OBJECT -> {
        String first = json.isEmpty() ? "" : json.fieldNames().next();
        yield first.startsWith("$") ? tagged(first, json.get(first), json) : object(json);
      }
      case BINARY, MISSING, POJO -> throw new IllegalArgumentException(json.toString());
    };
  }

  /** Converts JavaScript numbers to Java: exact integers are longs. */
  private static Object number(JsonNode json) {
    double value = json.doubleValue();
    boolean exact = value == Math.rint(value) && Math.abs(value) <= EXACT_INTEGER_MAX;
    if (exact) {
      return (long) value;
    }
    return value;
  }

  private Object array(JsonNode json) {
    boolean holes = false;
    for (JsonNode element : json) {
      holes |= element.has("$hole");
    }
    JsArray array = register(holes ? JsArray.sparse(json.size()) : new JsArray());
    for (int i = 0; i < json.size(); i++) {
      if (!json.get(i).has("$hole")) {
        array.put(i, value(json.get(i)));
      }
    }
    return array;
  }

  private Object object(JsonNode json) {
    JsObject object = register(new JsObject());
    json.properties().forEach(p -> object.put(p.getKey(), value(p.getValue())));
    return object;
  }

  /** Returns whether a property is an element of an array. */
  static boolean isIndex(String name) {
    return name.matches("0|[1-9][0-9]{0,9}") && Long.parseLong(name) < JsArray.LENGTH_MAX;
  }

  /** As a key of a map and as an element of a set, minus zero is zero. */
  private static @Nullable Object element(@Nullable Object value) {
    return value instanceof Double number && number == 0 ? (Object) 0L : value;
  }

  /** Gives an object the number that was announced for it. */
  private <T> T register(T object) {
    if (nextId != null) {
      objects.put(nextId, object);
      nextId = null;
    }
    return object;
  }

  private @Nullable Object tagged(String tag, JsonNode content, JsonNode json) {
    return switch (tag) {
      case "$undefined" -> JsUndefined.UNDEFINED;
      case "$num" -> Double.valueOf(content.textValue());
      case "$bigint" -> new BigInteger(content.textValue());
      case "$date" -> register(date(content));
      case "$regexp" ->
          register(JsRegExp.of(content.get(0).textValue(), content.get(1).textValue()));
      case "$boxed" -> register(boxed(value(content)));
      case "$map" -> map(content);
      case "$set" -> set(content);
      case "$ab", "$abrep" -> register(buffer(tag, content, json));
      case "$sab" -> register(new SharedBuffer(bytes(content)));
      case "$ta", "$tarep" -> view(tag, content);
      case "$error" -> error(content);
      case "$domexception" -> domException(content);
      case "$id" -> announced(content.intValue(), json.get("$v"));
      case "$ref" -> objects.get(content.intValue());
      case "$obj", "$nullproto" -> entries(content);
      case "$arr" -> sparseArray(content.longValue(), json.path("entries"));
      case "$rep", "$cat" -> text(json);
      case "$keys" -> keys(content);
      case "$entries" -> generated(content);
      case "$now" -> times.now(content.longValue());
      case "$nowdate" -> times.nowDate(content.longValue());
      case "$soon" -> times.soon(content.longValue());
      case "$clamped" -> Shown.present();
      case "$quiet" -> Shown.size(content.asText());
      case "$special" -> special(content.textValue(), json);
      default -> throw new IllegalArgumentException("unknown tag " + tag + " in " + json);
    };
  }

  private Object special(String name, JsonNode json) {
    return times.equals(Times.EXPECTED)
        ? Shown.object(name)
        : register(Specials.of(name, json.path("n").asInt(1), errorForm));
  }

  private @Nullable Object announced(int id, JsonNode json) {
    nextId = id;
    return value(json);
  }

  private static Object date(JsonNode content) {
    return content.isTextual() ? new JsInvalidDate() : Instant.ofEpochMilli(content.longValue());
  }

  private static JsBoxed boxed(@Nullable Object primitive) {
    if (primitive == null) {
      throw new IllegalArgumentException("null cannot be boxed");
    }
    return new JsBoxed(primitive instanceof Long number ? (double) number : primitive);
  }

  private Object map(JsonNode content) {
    JsMap map = register(new JsMap());
    content.forEach(pair -> map.put(element(value(pair.get(0))), value(pair.get(1))));
    return map;
  }

  private Object set(JsonNode content) {
    JsSet set = register(new JsSet());
    content.forEach(element -> set.add(element(value(element))));
    return set;
  }

  private static Object buffer(String tag, JsonNode content, JsonNode json) {
    byte[] bytes =
        tag.equals("$ab") ? bytes(content) : repeated(content.get(0), content.get(1).intValue());
    return json.has("max") ? JsBuffer.resizable(bytes, json.get("max").longValue()) : bytes;
  }

  /**
   * Returns a new array each time: {@code HexFormat} shares the empty array, and two buffers would
   * be one.
   */
  private static byte[] bytes(JsonNode hex) {
    return HexFormat.of().parseHex(hex.textValue()).clone();
  }

  private static byte[] repeated(JsonNode octet, int count) {
    byte[] bytes = new byte[count];
    int value = octet.isTextual() ? Integer.parseInt(octet.textValue(), 16) : octet.intValue();
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private Object view(String tag, JsonNode content) {
    JsView.Kind kind = kind(content.get(0).textValue());
    // The number belongs to the view, not to its buffer.
    Integer id = nextId;
    nextId = null;
    JsView view;
    if (tag.equals("$tarep")) {
      view = JsView.of(kind, repeated(content.get(1), content.get(2).intValue()));
    } else if (content.get(1).isTextual()) {
      view = JsView.of(kind, bytes(content.get(1)));
    } else {
      Object viewed = value(content.get(1));
      JsBuffer buffer = bufferOf(viewed);
      int length = content.get(3).intValue() * kind.elementBytes();
      view = new JsView(kind, buffer, content.get(2).intValue(), length, false);
    }
    nextId = id;
    return register(view);
  }

  private static JsBuffer bufferOf(@Nullable Object viewed) {
    return switch (viewed) {
      case byte[] bytes -> JsBuffer.fixed(bytes);
      case JsBuffer buffer -> buffer;
      case null, default -> throw new IllegalArgumentException("a view of " + viewed);
    };
  }

  private static JsView.Kind kind(String name) {
    return switch (name) {
      case "DataView" -> JsView.Kind.DATA_VIEW;
      case "Uint8ClampedArray" -> JsView.Kind.UINT8_CLAMPED;
      case "BigInt64Array" -> JsView.Kind.BIG_INT64;
      case "BigUint64Array" -> JsView.Kind.BIG_UINT64;
      default ->
          JsView.Kind.valueOf(
              name.substring(0, name.length() - "Array".length()).toUpperCase(Locale.ROOT));
    };
  }

  private Object error(JsonNode content) {
    String constructor = content.path("ctor").asText("Error");
    String name = content.path("name").asText(constructor);
    String message = content.path("message").asText("");
    JsError error =
        register(
            errorForm == JsError.Form.PLAIN
                ? JsError.plain(name, content.has("message") ? message : null)
                : JsError.of(name, message));
    if (!content.has("nostack")) {
      String stack = content.path("stack").asText(name + ": " + message + "\n    at oracle");
      error.properties().put("stack", stack);
    }
    for (String property : List.of("cause", "errors")) {
      if (content.has(property)) {
        error.properties().put(property, value(content.get(property)));
      }
    }
    for (JsonNode pair : content.path("props")) {
      error.properties().put(text(pair.get(0)), value(pair.get(1)));
    }
    return error;
  }

  private Object domException(JsonNode content) {
    String name = content.get(0).textValue();
    String message = content.get(1).textValue();
    return register(new JsDomException(name, message, name + ": " + message + "\n    at oracle"));
  }

  private Object entries(JsonNode content) {
    JsObject object = register(new JsObject());
    content.forEach(pair -> object.put(text(pair.get(0)), value(pair.get(1))));
    return object;
  }

  private Object sparseArray(long length, JsonNode entries) {
    JsArray array = register(JsArray.sparse(length));
    for (JsonNode pair : entries) {
      String name = pair.get(0).asText();
      if (isIndex(name)) {
        array.put(Long.parseLong(name), value(pair.get(1)));
      } else {
        array.properties().put(name, value(pair.get(1)));
      }
    }
    return array;
  }

  private Object keys(JsonNode content) {
    JsArray keys = register(new JsArray());
    for (int i = 0; i < content.path("count").asInt(); i++) {
      keys.put(i, key(content, i));
    }
    return keys;
  }

  private Object generated(JsonNode content) {
    JsObject entries = register(new JsObject());
    for (int i = 0; i < content.path("count").asInt(); i++) {
      Object value =
          content.has("value") ? value(content.get("value")) : content.path("from").asLong() + i;
      entries.put(key(content, i), value);
    }
    return entries;
  }

  private static String key(JsonNode content, int i) {
    String number = Long.toString(content.path("from").asLong() + i);
    int padding = content.path("pad").asInt() - number.length();
    return content.path("prefix").asText("") + "0".repeat(Math.max(0, padding)) + number;
  }

  private static String text(JsonNode json) {
    if (json.has("$rep")) {
      return text(json.get("$rep").get(0)).repeat(json.get("$rep").get(1).intValue());
    }
    if (!json.has("$cat")) {
      return json.asText();
    }
    StringBuilder text = new StringBuilder();
    json.get("$cat").forEach(part -> text.append(text(part)));
    return text.toString();
  }
}
