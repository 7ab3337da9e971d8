package dev.holdfast.clone.codec;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsBoxed;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsError;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsString;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsView;
import dev.holdfast.clone.codec.bytes.JsNumbers;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A text of a value: two values have the same one if JavaScript could not tell them apart. Objects
 * are numbered; a repeated object is only its number. Stacks of errors are left out.
 */
final class ValueForm {

  private final StringBuilder text = new StringBuilder();
  private final Map<Object, Integer> numbers = new IdentityHashMap<>();

  private ValueForm() {}

  static String of(@Nullable Object value) {
    ValueForm writer = new ValueForm();
    writer.write(value);
    return writer.text.toString();
  }

  private void write(@Nullable Object value) {
    switch (value) {
      case null -> text.append("null");
      case Long number -> text.append(JsNumbers.toString(number));
      case Double number -> text.append(number.equals(-0.0) ? "-0" : JsNumbers.toString(number));
      case java.math.BigInteger number -> text.append(number).append('n');
      case String string -> text.append('"').append(string).append('"');
      case JsString string -> write(string.value());
      case Boolean truth -> text.append(truth);
      case JsUndefined _ -> text.append("undefined");
      default -> writeObject(value);
    }
  }

  private void writeObject(Object value) {
    Object identity = value instanceof JsBuffer buffer ? buffer.bytes() : value;
    Integer known = numbers.putIfAbsent(identity, numbers.size());
    if (known != null) {
      text.append('^').append(known);
      return;
    }
    switch (value) {
      case JsError error -> writeError(error);
      case JsObject object -> writeProperties("object", object);
      case Map<?, ?> map -> {
        text.append("Map(");
        map.forEach((k, v) -> writeAll(List.of(' '), k, v));
        text.append(')');
      }
      case java.util.Set<?> set -> {
        text.append("Set(");
        set.forEach(element -> writeAll(List.of(' '), element));
        text.append(')');
      }
      case JsArray array -> writeArray(array);
      case byte[] bytes -> text.append("buffer ").append(HexFormat.of().formatHex(bytes));
      case JsBuffer buffer ->
          text.append("buffer ")
              .append(HexFormat.of().formatHex(buffer.bytes()))
              .append(buffer.isResizable() ? " max " + buffer.byteLengthMax() : "");
      case JsView view -> {
        text.append(view.kind()).append('[').append(view.byteOffset()).append(',');
        text.append(view.byteLength()).append("] of ");
        write(view.buffer());
      }
      case JsBoxed boxed -> writeAll(List.of("boxed "), boxed.value());
      default -> text.append(value);
    }
  }

  private void writeAll(List<?> before, @Nullable Object... values) {
    for (Object value : values) {
      before.forEach(text::append);
      write(value);
    }
  }

  private void writeArray(JsArray array) {
    text.append('[');
    for (long i = 0; i < array.length(); i++) {
      text.append(' ');
      if (array.has(i)) {
        write(array.get((int) i));
      } else {
        text.append("hole");
      }
    }
    writeProperties("]", array.properties());
  }

  private void writeProperties(String before, Map<String, @Nullable Object> properties) {
    text.append(before).append('{');
    properties.forEach(
        (name, value) -> {
          text.append(' ').append(name).append(':');
          write(value);
        });
    text.append('}');
  }

  private void writeError(JsError error) {
    JsObject shown = new JsObject(error.properties());
    shown.remove("stack");
    writeProperties(error.toString(), shown);
  }
}
