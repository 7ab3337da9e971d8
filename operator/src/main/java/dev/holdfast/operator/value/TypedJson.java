package dev.holdfast.operator.value;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsInvalidDate;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsRegExp;
import dev.holdfast.clone.JsSet;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsView;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values as JSON that says their types: a value that JSON has no form for is an object with the
 * members {@code $type} and {@code value}, such as {@code {"$type": "Date", "value":
 * "2026-11-23T10:00:00Z"}}. Stateless.
 */
public final class TypedJson {

  private static final String TYPE = "$type";
  private static final String VALUE = "value";
  private static final long INTEGER_MAX = 1L << 53;

  private TypedJson() {}

  // ---- Writing ------------------------------------------------------------------------------

  /**
   * {@return a value as JSON, on several lines; null if JSON with types cannot say all of it}
   *
   * @param whole the value
   */
  public static @Nullable String write(ValueNode.Whole whole) {
    if (!whole.isExact()) {
      return null;
    }
    StringBuilder text = new StringBuilder();
    write(whole.root(), "\n", text);
    return text.toString();
  }

  private static void write(ValueNode node, String line, StringBuilder text) {
    switch (node.type()) {
      case ValueNode.NULL, ValueNode.BOOLEAN -> text.append(node.text());
      case ValueNode.STRING -> quote(node.text(), text);
      case ValueNode.ARRAY -> list(node, line, text);
      case ValueNode.OBJECT -> {
        if (node.members().stream().anyMatch(each -> each.name().equals(TYPE))) {
          typed(node.type(), text);
          object(node, line, text);
          text.append('}');
        } else {
          object(node, line, text);
        }
      }
      case ValueNode.NUMBER -> {
        double number = Double.parseDouble(node.text());
        if (Double.isFinite(number) && !node.text().equals("-0")) {
          text.append(node.text());
        } else {
          typed(node.type(), text);
          quote(node.text(), text);
          text.append('}');
        }
      }
      case ValueNode.SET, ValueNode.MAP -> {
        typed(node.type(), text);
        list(node, line, text);
        text.append('}');
      }
      default -> {
        typed(node.type(), text);
        quote(node.text(), text);
        text.append('}');
      }
    }
  }

  private static void typed(String type, StringBuilder text) {
    text.append("{\"").append(TYPE).append("\": \"").append(type).append("\", \"value\": ");
  }

  private static void list(ValueNode node, String line, StringBuilder text) {
    String inner = line + "  ";
    text.append('[');
    String between = inner;
    for (ValueNode.Member each : node.members()) {
      text.append(between);
      if (each.key() == null) {
        write(each.value(), inner, text);
      } else {
        text.append('[');
        write(each.key(), inner, text);
        text.append(", ");
        write(each.value(), inner, text);
        text.append(']');
      }
      between = "," + inner;
    }
    text.append(node.members().isEmpty() ? "]" : line + "]");
  }

  private static void object(ValueNode node, String line, StringBuilder text) {
    String inner = line + "  ";
    text.append('{');
    String between = inner;
    for (ValueNode.Member each : node.members()) {
      text.append(between);
      quote(each.name(), text);
      text.append(": ");
      write(each.value(), inner, text);
      between = "," + inner;
    }
    text.append(node.members().isEmpty() ? "}" : line + "}");
  }

  private static void quote(String string, StringBuilder text) {
    text.append('"');
    for (int at = 0; at < string.length(); at++) {
      char c = string.charAt(at);
      boolean isPlain =
          c >= ' ' && !Character.isISOControl(c) && !Character.isSurrogate(c) && c != '"';
      if (isPlain && c != '\\') {
        text.append(c);
      } else if (Character.isHighSurrogate(c)
          && at + 1 < string.length()
          && Character.isLowSurrogate(string.charAt(at + 1))) {
        text.append(c).append(string.charAt(++at));
      } else {
        text.append(c == '"' || c == '\\' ? "\\" + c : "\\u" + HexFormat.of().toHexDigits(c));
      }
    }
    text.append('"');
  }

  // ---- Reading ------------------------------------------------------------------------------

  /**
   * {@return the bytes of a value that is stored}
   *
   * @param json the value
   * @param type the type of the whole, as {@code $type} has it; null if the JSON says it
   * @throws IllegalArgumentException if it is not JSON, has an unknown type, or cannot be read back
   *     alike
   */
  public static byte[] read(String json, @Nullable String type) {
    Object value;
    byte[] stored;
    try {
      Object read = JsonReader.read(json);
      value = type == null ? value(read) : ofType(type, read);
      stored = StructuredClone.standard().encode(value);
    } catch (IllegalArgumentException | DateTimeException | StructuredCloneException e) {
      throw new IllegalArgumentException("The value cannot be stored: " + e.getMessage(), e);
    }
    ValueNode meant = ValueNode.of(value, Integer.MAX_VALUE).root();
    if (!ValueNode.of(stored, Integer.MAX_VALUE).root().isAlike(meant)) {
      throw new IllegalArgumentException(
          "The value cannot be stored: it would not be read back as it is written here.");
    }
    return stored;
  }

  private static @Nullable Object value(@Nullable Object read) {
    return switch (read) {
      case null -> null;
      case Map<?, ?> members when members.containsKey(TYPE) -> {
        if (members.size() != 2
            || !members.containsKey(VALUE)
            || !(members.get(TYPE) instanceof String type)) {
          throw new IllegalArgumentException(
              "an object with the member $type has one more, value; an object that has $type itself"
                  + " is {\"$type\": \"object\", \"value\": {...}}.");
        }
        yield ofType(type, members.get(VALUE));
      }
      case Map<?, ?> members -> object(members);
      case List<?> elements -> new JsArray(elements.stream().map(TypedJson::value).toList());
      case BigDecimal number -> number(number);
      default -> read;
    };
  }

  private static Object object(Map<?, ?> members) {
    JsObject object = new JsObject();
    members.forEach((name, each) -> object.put(String.valueOf(name), value(each)));
    return object;
  }

  private static Object number(BigDecimal number) {
    if (number.scale() == 0) {
      if (number.abs().compareTo(BigDecimal.valueOf(INTEGER_MAX)) > 0) {
        throw new IllegalArgumentException(
            number + " is beyond 2^53, where numbers are not exact; use the type BigInt.");
      }
      return number.longValueExact();
    }
    double shown = number.doubleValue();
    if (!Double.isFinite(shown) || new BigDecimal(Double.toString(shown)).compareTo(number) != 0) {
      throw new IllegalArgumentException(
          "JavaScript cannot hold all digits of a number: " + number + " would be " + shown + ".");
    }
    return shown;
  }

  private static @Nullable Object ofType(String type, @Nullable Object read) {
    return switch (type) {
      case "json" -> value(read);
      case ValueNode.OBJECT -> object(as(Map.class, read, type));
      case ValueNode.UNDEFINED -> JsUndefined.UNDEFINED;
      case ValueNode.NUMBER -> read instanceof String text ? special(text) : value(read);
      case ValueNode.STRING -> as(String.class, read, type);
      case ValueNode.BIG_INT ->
          read instanceof BigDecimal number && number.scale() == 0
              ? number.toBigIntegerExact()
              : new BigInteger(as(String.class, read, type));
      case ValueNode.DATE -> {
        String text = as(String.class, read, type);
        yield text.equals(ValueNode.INVALID_DATE) ? new JsInvalidDate() : Instant.parse(text);
      }
      case ValueNode.BUFFER -> bytes(read, type);
      case ValueNode.REG_EXP -> {
        String text = as(String.class, read, type);
        int end = text.lastIndexOf('/');
        if (end < 1 || text.charAt(0) != '/') {
          throw new IllegalArgumentException("a RegExp is a text such as /a+/g.");
        }
        yield JsRegExp.of(text.substring(1, end), text.substring(end + 1));
      }
      case ValueNode.SET -> {
        JsSet set = new JsSet();
        for (Object each : as(List.class, read, type)) {
          if (!set.add(value(each))) {
            throw new IllegalArgumentException("a Set has an element twice.");
          }
        }
        yield set;
      }
      case ValueNode.MAP -> {
        JsMap map = new JsMap();
        for (Object each : as(List.class, read, type)) {
          if (!(each instanceof List<?> pair) || pair.size() != 2) {
            throw new IllegalArgumentException("a Map is a list of pairs [key, value].");
          }
          Object key = value(pair.getFirst());
          if (map.containsKey(key)) {
            throw new IllegalArgumentException("a Map has a key twice.");
          }
          map.put(key, value(pair.getLast()));
        }
        yield map;
      }
      default -> view(type, read);
    };
  }

  private static Object view(String type, @Nullable Object read) {
    for (JsView.Kind kind : JsView.Kind.values()) {
      if (ValueNode.viewType(kind).equals(type)) {
        return JsView.of(kind, bytes(read, type));
      }
    }
    throw new IllegalArgumentException(
        "there is no type "
            + type
            + "; there are Date, BigInt, Map, Set, RegExp, ArrayBuffer, Uint8Array and the other"
            + " arrays of bytes, undefined, number, string, object and json.");
  }

  private static double special(String text) {
    return switch (text) {
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      case "-0" -> -0.0;
      default ->
          throw new IllegalArgumentException(
              "a number in quotes is NaN, Infinity, -Infinity or -0.");
    };
  }

  private static byte[] bytes(@Nullable Object read, String type) {
    return HexFormat.of().parseHex(as(String.class, read, type));
  }

  private static <T> T as(Class<T> wanted, @Nullable Object read, String type) {
    if (!wanted.isInstance(read)) {
      String form = wanted == String.class ? "text" : wanted == Map.class ? "object" : "list";
      throw new IllegalArgumentException(
          "a value of the type " + type + " is written as " + form + ".");
    }
    return wanted.cast(read);
  }
}
