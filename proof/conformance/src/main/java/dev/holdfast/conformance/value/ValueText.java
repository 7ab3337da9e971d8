package dev.holdfast.conformance.value;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsBoxed;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsDomException;
import dev.holdfast.clone.JsError;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsString;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsView;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A text of a value: two values have the same text if JavaScript could not distinguish them.
 * Objects are numbered, and a repeated object is only its number. Stacks of errors are omitted.
 * Used for one value.
 */
public final class ValueText {

  private final StringBuilder text = new StringBuilder();
  private final IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();

  private ValueText() {}

  /**
   * Returns the text of a value.
   *
   * @param value the value
   * @return the text
   */
  public static String of(@Nullable Object value) {
    ValueText writer = new ValueText();
    writer.write(value);
    return writer.text.toString();
  }

  private void write(@Nullable Object value) {
    switch (value) {
      case null -> text.append("null");
      case Long number -> text.append(NumberText.of(number));
      case Integer number -> text.append(NumberText.of(number));
      case Double number -> text.append(number.equals(-0.0) ? "-0" : NumberText.of(number));
      case BigInteger number -> text.append(number).append('n');
      case String string -> quote(string);
      case JsString string -> quote(string.value());
      case Boolean truth -> text.append(truth);
      case JsUndefined _ -> text.append("undefined");
      case Shown shown -> text.append(shown.text());
      case Foreign foreign -> text.append('<').append(foreign.name()).append('>');
      default -> writeObject(value);
    }
  }

  private void quote(String string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      if (c < ' ' || Character.isSurrogate(c)) {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }

  private void writeObject(Object value) {
    // A buffer on its own is a byte[]; in a view it is wrapped. Both are one object in JavaScript.
    Object identity = value instanceof JsBuffer buffer ? buffer.bytes() : value;
    Integer known = numbers.putIfAbsent(identity, numbers.size());
    if (known != null) {
      text.append('^').append(known);
      return;
    }
    switch (value) {
      case JsError error -> writeError(error);
      case JsDomException exception ->
          text.append(exception.name()).append('(').append(exception.message()).append(')');
      case JsObject object -> writeProperties("", object);
      case Map<?, ?> map -> writeMap(map);
      case Set<?> set -> writeAll("Set[", set);
      case JsArray array -> writeArray(array);
      case Iterable<?> list -> writeAll("[", list);
      case byte[] bytes -> text.append("buffer ").append(HexFormat.of().formatHex(bytes));
      case SharedBuffer shared ->
          text.append("shared ").append(HexFormat.of().formatHex(shared.bytes()));
      case JsBuffer buffer -> writeBuffer(buffer);
      case JsView view -> writeView(view);
      case JsBoxed boxed -> {
        text.append("boxed ");
        write(boxed.value());
      }
      default -> text.append(value);
    }
  }

  private void writeMap(Map<?, ?> map) {
    text.append("Map[");
    String separator = "";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      text.append(separator);
      write(entry.getKey());
      text.append("=");
      write(entry.getValue());
      separator = ", ";
    }
    text.append(']');
  }

  private void writeAll(String before, Iterable<?> elements) {
    text.append(before);
    String separator = "";
    for (Object element : elements) {
      text.append(separator);
      write(element);
      separator = ", ";
    }
    text.append(']');
  }

  private void writeBuffer(JsBuffer buffer) {
    text.append("buffer ").append(HexFormat.of().formatHex(buffer.bytes()));
    if (buffer.isResizable()) {
      text.append(" max ").append(buffer.byteLengthMax());
    }
  }

  private void writeView(JsView view) {
    text.append(view.kind()).append('(').append(view.byteOffset()).append(',');
    text.append(view.byteLength()).append(" of ");
    write(view.buffer());
    text.append(')');
  }

  private void writeArray(JsArray array) {
    text.append('[');
    for (long i = 0; i < array.length(); i++) {
      if (i > 0) {
        text.append(", ");
      }
      if (array.length() > Integer.MAX_VALUE || (array.isSparse() && array.length() > 10_000)) {
        text.append("length ").append(array.length()).append(", ").append(array.entryCount());
        break;
      }
      if (array.has(i)) {
        write(array.get((int) i));
      } else {
        text.append("hole");
      }
    }
    text.append(']');
    if (!array.properties().isEmpty()) {
      writeProperties("", array.properties());
    }
  }

  private void writeProperties(String before, Map<String, @Nullable Object> properties) {
    text.append(before).append('{');
    String separator = "";
    for (String name : inOrder(properties.keySet())) {
      text.append(separator).append(name).append(": ");
      write(properties.get(name));
      separator = ", ";
    }
    text.append('}');
  }

  /** In JavaScript, names that are indices come first, in numeric order. */
  private static List<String> inOrder(Collection<String> names) {
    List<String> indices = new ArrayList<>(names);
    indices.removeIf(name -> !TaggedValue.isIndex(name));
    indices.sort(Comparator.comparingLong(Long::parseLong));
    List<String> ordered = new ArrayList<>(indices);
    names.stream().filter(name -> !TaggedValue.isIndex(name)).forEach(ordered::add);
    return ordered;
  }

  /** The recordings have the cause and the errors before other properties. */
  private void writeError(JsError error) {
    JsObject shown = new JsObject();
    for (String first : List.of("cause", "errors")) {
      if (error.properties().containsKey(first)) {
        shown.put(first, error.properties().get(first));
      }
    }
    error.properties().forEach(shown::putIfAbsent);
    shown.remove("stack");
    // Errors of WebAssembly are stored under other names than JavaScript shows.
    String name = error.name().replaceFirst("^Wasm(?=(Compile|Link|Runtime|Suspend)Error$)", "");
    writeProperties(name + "(" + error.message() + ")", shown);
  }
}
