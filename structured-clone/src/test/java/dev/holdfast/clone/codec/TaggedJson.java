package dev.holdfast.clone.codec;

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
import dev.holdfast.clone.codec.bytes.JsNumbers;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts the tagged JSON of the reference's recordings to Java values. */
final class TaggedJson {

  private final JsError.Form errorForm;
  private final Map<Integer, Object> objects = new HashMap<>();
  private @Nullable Integer nextId;

  private TaggedJson(JsError.Form errorForm) {
    this.errorForm = errorForm;
  }

  static @Nullable Object parse(JsonNode json, JsError.Form errorForm) {
    return new TaggedJson(errorForm).value(json);
  }

  private @Nullable Object value(JsonNode json) {
    if (json.isNull()) {
      return null;
    }
    if (json.isBoolean()) {
      return json.booleanValue();
    }
    if (json.isTextual()) {
      return json.textValue();
    }
    if (json.isNumber()) {
      return number(json);
    }
    if (json.isArray()) {
      return array(json);
    }
    String first = json.isEmpty() ? "" : json.fieldNames().next();
    return first.startsWith("$") ? tagged(first, json.get(first), json) : object(json);
  }

  /** Converts JavaScript numbers to Java: exact integers are longs. */
  private static Object number(JsonNode json) {
    double value = json.doubleValue();
    return value == Math.rint(value) && Math.abs(value) <= 1L << 53 ? (Object) (long) value : value;
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
      case "$ta", "$tarep" -> view(tag, content);
      case "$error" -> error(content);
      case "$domexception" -> domException(content);
      case "$id" -> announced(content.intValue(), json.get("$v"));
      case "$ref" -> objects.get(content.intValue());
      case "$obj" -> entries(content);
      case "$arr" -> sparseArray(content.longValue(), json.path("entries"));
      case "$rep", "$cat" -> text(json);
      default -> throw new IllegalArgumentException(json.toString());
    };
  }

  private @Nullable Object announced(int id, JsonNode json) {
    nextId = id;
    return value(json);
  }

  private static Object date(JsonNode content) {
    return content.isTextual() ? new JsInvalidDate() : Instant.ofEpochMilli(content.longValue());
  }

  private static JsBoxed boxed(@Nullable Object primitive) {
    return new JsBoxed(primitive instanceof Long number ? (double) number : primitive);
  }

  private Object map(JsonNode content) {
    JsMap map = register(new JsMap());
    content.forEach(pair -> map.put(value(pair.get(0)), value(pair.get(1))));
    return map;
  }

  private Object set(JsonNode content) {
    JsSet set = register(new JsSet());
    content.forEach(element -> set.add(value(element)));
    return set;
  }

  private static Object buffer(String tag, JsonNode content, JsonNode json) {
    byte[] bytes =
        tag.equals("$ab")
            ? HexFormat.of().parseHex(content.textValue())
            : repeated(content.get(0), content.get(1).intValue());
    return json.has("max") ? JsBuffer.resizable(bytes, json.get("max").longValue()) : bytes;
  }

  private static byte[] repeated(JsonNode octet, int count) {
    byte[] bytes = new byte[count];
    int value = octet.isTextual() ? Integer.parseInt(octet.textValue(), 16) : octet.intValue();
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private Object view(String tag, JsonNode content) {
    JsView.Kind kind = kind(content.get(0).textValue());
    Integer id = nextId;
    nextId = null;
    JsView view;
    if (tag.equals("$tarep")) {
      view = JsView.of(kind, repeated(content.get(1), content.get(2).intValue()));
    } else if (content.get(1).isTextual()) {
      view = JsView.of(kind, HexFormat.of().parseHex(content.get(1).textValue()));
    } else {
      Object viewed = value(content.get(1));
      JsBuffer buffer = viewed instanceof byte[] bytes ? JsBuffer.fixed(bytes) : (JsBuffer) viewed;
      int length = content.get(3).intValue() * kind.elementBytes();
      view = new JsView(kind, buffer, content.get(2).intValue(), length, false);
    }
    nextId = id;
    return register(view);
  }

  static JsView.Kind kind(String name) {
    return switch (name) {
      case "DataView" -> JsView.Kind.DATA_VIEW;
      case "Uint8ClampedArray" -> JsView.Kind.UINT8_CLAMPED;
      case "BigInt64Array" -> JsView.Kind.BIG_INT64;
      case "BigUint64Array" -> JsView.Kind.BIG_UINT64;
      default ->
          JsView.Kind.valueOf(name.substring(0, name.length() - "Array".length()).toUpperCase());
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
      error.properties().put(pair.get(0).textValue(), value(pair.get(1)));
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
    content.forEach(pair -> object.put(pair.get(0).textValue(), value(pair.get(1))));
    return object;
  }

  private Object sparseArray(long length, JsonNode entries) {
    JsArray array = register(JsArray.sparse(length));
    for (JsonNode pair : entries) {
      String name = pair.get(0).textValue();
      long index = JsNumbers.arrayIndex(name);
      if (index >= 0) {
        array.put(index, value(pair.get(1)));
      } else {
        array.properties().put(name, value(pair.get(1)));
      }
    }
    return array;
  }

  private static String text(JsonNode json) {
    if (json.isTextual()) {
      return json.textValue();
    }
    if (json.has("$rep")) {
      return text(json.get("$rep").get(0)).repeat(json.get("$rep").get(1).intValue());
    }
    StringBuilder text = new StringBuilder();
    json.get("$cat").forEach(part -> text.append(text(part)));
    return text.toString();
  }
}
