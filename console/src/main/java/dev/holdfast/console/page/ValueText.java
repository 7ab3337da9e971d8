package dev.holdfast.console.page;

import dev.holdfast.operator.value.ValueNode;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the trees of values as people read JSON, up to a length. */
public final class ValueText {

  private static final String CUT = " ...";

  private final StringBuilder text = new StringBuilder();
  private final int charsMax;

  private ValueText(int charsMax) {
    this.charsMax = charsMax;
  }

  /**
   * {@return a value as JSON; cut behind a number of characters}
   *
   * @param value maps, lists, texts, numbers, booleans, bytes and null
   * @param charsMax how many characters
   */
  public static String text(@Nullable Object value, int charsMax) {
    ValueText json = new ValueText(charsMax);
    json.write(value);
    return json.isFull() ? json.text.substring(0, charsMax) + CUT : json.text.toString();
  }

  /**
   * {@return a part of a value in one line, with the types that JSON lacks; cut behind a number of
   * characters}
   *
   * @param node the part
   * @param charsMax the number
   */
  public static String line(ValueNode node, int charsMax) {
    ValueText line = new ValueText(charsMax);
    line.write(node);
    return line.isFull() ? line.text.substring(0, charsMax) + CUT : line.text.toString();
  }

  private void write(ValueNode node) {
    boolean isList = node.type().equals("Array") || node.type().equals("Set");
    if (node.members().isEmpty()) {
      switch (node.type()) {
        case "string" -> quoted(node.text());
        case "null", "boolean", "number", "undefined" -> text.append(node.text());
        case "object" -> text.append("{}");
        case "Array" -> text.append("[]");
        default ->
            text.append(node.type())
                .append(' ')
                .append(node.text(), 0, Math.min(node.text().length(), charsMax + 1));
      }
      return;
    }
    if (!node.type().equals("object") && !node.type().equals("Array")) {
      text.append(node.type()).append(' ');
    }
    text.append(isList ? '[' : '{');
    String between = "";
    for (ValueNode.Member each : node.members()) {
      if (isFull()) {
        return;
      }
      text.append(between);
      if (each.key() != null) {
        write(each.key());
        text.append(": ");
      } else if (!isList) {
        quoted(each.name());
        text.append(": ");
      }
      write(each.value());
      between = ", ";
    }
    text.append(isList ? ']' : '}');
  }

  private boolean isFull() {
    return text.length() > charsMax;
  }

  private void write(@Nullable Object value) {
    switch (value) {
      case null -> text.append("null");
      case String string -> quoted(string);
      case byte[] bytes -> hex(bytes);
      case Map<?, ?> members -> {
        text.append('{');
        String between = "";
        for (Map.Entry<?, ?> each : members.entrySet()) {
          if (isFull()) {
            return;
          }
          text.append(between);
          quoted(String.valueOf(each.getKey()));
          text.append(": ");
          write(each.getValue());
          between = ", ";
        }
        text.append('}');
      }
      case List<?> elements -> {
        text.append('[');
        String between = "";
        for (Object each : elements) {
          if (isFull()) {
            return;
          }
          text.append(between);
          write(each);
          between = ", ";
        }
        text.append(']');
      }
      default -> text.append(value);
    }
  }

  private void hex(byte[] bytes) {
    int shown = Math.min(bytes.length, charsMax / 2 + 1);
    text.append("0x").append(HexFormat.of().formatHex(bytes, 0, shown));
  }

  private void quoted(String string) {
    text.append('"');
    for (int i = 0; i < string.length() && !isFull(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        default -> {
          if (Character.isISOControl(c) || (Character.isSurrogate(c) && isLone(string, i))) {
            text.append("\\u").append(HexFormat.of().toHexDigits(c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }

  private static boolean isLone(String string, int at) {
    return Character.isHighSurrogate(string.charAt(at))
        ? at + 1 == string.length() || !Character.isLowSurrogate(string.charAt(at + 1))
        : at == 0 || !Character.isHighSurrogate(string.charAt(at - 1));
  }
}
