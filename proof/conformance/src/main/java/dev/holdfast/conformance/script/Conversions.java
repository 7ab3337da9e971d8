package dev.holdfast.conformance.script;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsBoxed;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsError;
import dev.holdfast.clone.JsInvalidDate;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsRegExp;
import dev.holdfast.clone.JsString;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsView;
import dev.holdfast.conformance.value.Foreign;
import dev.holdfast.conformance.value.NumberText;
import dev.holdfast.conformance.value.SharedBuffer;
import java.math.BigInteger;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * JavaScript's conversions of arguments, which a Java caller writes explicitly or does not need.
 */
final class Conversions {

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern(
              "EEE MMM dd yyyy HH:mm:ss 'GMT+0000 (Coordinated Universal Time)'")
          .withLocale(Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);

  /** A pattern sees a pair of surrogates as one character. */
  private static final Pattern LONE_SURROGATE = Pattern.compile("[\\uD800-\\uDFFF]");

  private Conversions() {}

  static boolean isMissing(@Nullable Object value) {
    return value == null || value == JsUndefined.UNDEFINED;
  }

  static boolean isPrimitive(@Nullable Object value) {
    return isMissing(value)
        || value instanceof String
        || value instanceof JsString
        || value instanceof Boolean
        || value instanceof Number
        || (value instanceof Foreign foreign && foreign.isSymbol());
  }

  static boolean isTrue(@Nullable Object value) {
    return switch (value) {
      case null -> false;
      case JsUndefined _ -> false;
      case Boolean truth -> truth;
      case String text -> !text.isEmpty();
      case Long number -> number != 0;
      case Double number -> number != 0 && !number.isNaN();
      case BigInteger number -> number.signum() != 0;
      default -> true;
    };
  }

  /** {@code String(value)}. */
  static String text(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String text -> text;
      case JsString text -> text.value();
      case Long number -> NumberText.of(number);
      case Double number -> NumberText.of(number);
      case JsArray array -> joined(array);
      case JsBoxed boxed -> text(boxed.value());
      case Instant time -> DATE.format(time);
      case JsInvalidDate _ -> "Invalid Date";
      case JsRegExp pattern -> "/" + pattern.source() + "/" + pattern.flags();
      case JsError error -> error.name() + ": " + error.message();
      case Foreign foreign -> foreignText(foreign);
      case JsView view when view.kind() == JsView.Kind.DATA_VIEW -> "[object DataView]";
      case byte[] _ -> "[object ArrayBuffer]";
      case JsBuffer _ -> "[object ArrayBuffer]";
      case SharedBuffer _ -> "[object SharedArrayBuffer]";
      case JsObject _ -> "[object Object]";
      case Map<?, ?> _ -> "[object Map]";
      case Set<?> _ -> "[object Set]";
      case Boolean _, BigInteger _, JsUndefined _ -> value.toString();
      default -> throw new NoCounterpart("the text of a " + value.getClass().getSimpleName());
    };
  }

  private static String joined(JsArray array) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < array.size(); i++) {
      Object element = array.get(i);
      text.append(i == 0 ? "" : ",").append(isMissing(element) ? "" : text(element));
    }
    return text.toString();
  }

  private static String foreignText(Foreign foreign) {
    return switch (foreign.name()) {
      case "symbol" -> throw JsFailure.typeError("Cannot convert a Symbol value to a string");
      case "function" -> "function f() {}";
      case "arrow" -> "() => 1";
      case "promise" -> "[object Promise]";
      default -> throw new NoCounterpart("the text of a " + foreign.name());
    };
  }

  /** A key as read from the storage: its bytes are read as UTF-8, which has no lone surrogates. */
  static String storedKey(String key) {
    return LONE_SURROGATE.matcher(key).replaceAll("\uFFFD\uFFFD\uFFFD");
  }

  /** {@code Number(value)}. */
  static double number(@Nullable Object value) {
    return switch (value) {
      case null -> 0;
      case Long number -> number;
      case Double number -> number;
      case Boolean truth -> truth ? 1 : 0;
      case JsUndefined _ -> Double.NaN;
      case BigInteger _ -> throw JsFailure.typeError("Cannot convert a BigInt value to a number");
      case Foreign foreign when foreign.isSymbol() ->
          throw JsFailure.typeError("Cannot convert a Symbol value to a number");
      case Instant time -> time.toEpochMilli();
      default -> parse(text(value).strip());
    };
  }

  private static double parse(String text) {
    if (text.isEmpty()) {
      return 0;
    }
    if (text.matches("0[xX][0-9a-fA-F]+")) {
      return new BigInteger(text.substring(2), 16).doubleValue();
    }
    if (!text.matches("[+-]?(Infinity|[0-9]+\\.?[0-9]*([eE][+-]?[0-9]+)?|\\.[0-9]+)")) {
      return Double.NaN;
    }
    return Double.parseDouble(text);
  }

  /** A 32-bit integer as the reference's parameters take it. */
  static int int32(@Nullable Object value) {
    double number = number(value);
    if (Double.isNaN(number) || Double.isInfinite(number)) {
      return 0;
    }
    if (number > Integer.MAX_VALUE || number < Integer.MIN_VALUE) {
      throw JsFailure.typeError(
          "Value out of range. Must be between -2147483648 and 2147483647 (inclusive).");
    }
    return (int) number;
  }

  /** A time as the reference's parameters take it: a number of milliseconds, or a Date. */
  static Instant time(String method, String owner, @Nullable Object value) {
    double millis =
        switch (value) {
          case Long number -> number;
          case Double number -> number;
          case Instant time -> time.toEpochMilli();
          case JsInvalidDate _ -> Double.NaN;
          case null, default -> throw JsFailure.argument(method, owner, 1, "date");
        };
    if (Double.isNaN(millis) || Double.isInfinite(millis)) {
      throw JsFailure.typeError("The value cannot be converted because it is not a valid Date.");
    }
    return Instant.ofEpochMilli((long) Math.floor(millis));
  }

  /** A property of an options object; undefined if it is missing. */
  static @Nullable Object property(@Nullable Object options, String name) {
    return switch (options) {
      case JsObject object when object.containsKey(name) -> object.get(name);
      // Every array has a method of this name.
      case JsArray _ when name.equals("reverse") -> true;
      case null, default -> JsUndefined.UNDEFINED;
    };
  }

  /** Returns the argument for options, after checking that it is an object or missing. */
  static @Nullable Object options(
      String method, String owner, int parameter, String type, @Nullable Object value) {
    if (!isMissing(value) && isPrimitive(value)) {
      throw JsFailure.argument(method, owner, parameter, type);
    }
    return value;
  }

  /**
   * A value bound to a parameter of SQL: JavaScript has no integers, and converts objects to text.
   */
  static @Nullable Object binding(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case JsUndefined _ -> null;
      case Long number -> (double) number;
      case Double number -> number;
      case BigInteger _ -> throw JsFailure.typeError("Cannot convert a BigInt value to a number");
      case byte[] bytes -> bytes;
      case JsBuffer buffer -> buffer.bytes();
      case SharedBuffer shared -> shared.bytes();
      case JsView view -> view.toByteArray();
      default -> text(value);
    };
  }

  /** A column's value as a JavaScript number, text or buffer. */
  static @Nullable Object column(@Nullable Object value) {
    return value instanceof Long number ? (Object) (double) number : value;
  }
}
