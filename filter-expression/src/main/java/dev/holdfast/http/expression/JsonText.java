package dev.holdfast.http.expression;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON, as RFC 8259 defines it: objects as maps, arrays as lists, strings, and integers that
 * are a long; everything else is {@link #OTHER}. Of members with the same name, the last counts.
 */
final class JsonText {

  /** A value that no function returns: a fraction, a large number, true, false or null. */
  static final Object OTHER = new Object();

  /** Deeper text would take the stack. */
  private static final int DEPTH_MAX = 500;

  /** Stands for the end of the text: no character of Unicode has this number. */
  private static final char END = '\uFFFF';

  private static final String ESCAPES = "\"\\/bfnrt";
  private static final String ESCAPED = "\"\\/\b\f\n\r\t";

  private final String text;
  private int at;

  private JsonText(String text) {
    this.text = text;
  }

  /** {@return the value, or null if the text is not JSON} */
  static @Nullable Object read(String text) {
    JsonText json = new JsonText(text);
    try {
      Object value = json.value(0);
      return json.peek() == END ? value : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** {@return the next character that is not white space; {@link #END} after the last} */
  private char peek() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : END;
  }

  private static IllegalArgumentException malformed() {
    return new IllegalArgumentException("not JSON");
  }

  private void expect(String expected) {
    if (!text.startsWith(expected, at)) {
      throw malformed();
    }
    at += expected.length();
  }

  private Object value(int depth) {
    if (depth > DEPTH_MAX) {
      throw malformed();
    }
    return switch (peek()) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 't' -> literal("true");
      case 'f' -> literal("false");
      case 'n' -> literal("null");
      default -> number();
    };
  }

  private Object literal(String word) {
    expect(word);
    return OTHER;
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> members = new HashMap<>();
    at++;
    while (peek() != '}') {
      if (!members.isEmpty()) {
        expect(",");
        peek();
      }
      String name = string();
      peek();
      expect(":");
      members.put(name, value(depth + 1));
    }
    at++;
    return members;
  }

  private List<Object> array(int depth) {
    List<Object> items = new ArrayList<>();
    at++;
    while (peek() != ']') {
      if (!items.isEmpty()) {
        expect(",");
      }
      items.add(value(depth + 1));
    }
    at++;
    return items;
  }

  private String string() {
    expect("\"");
    StringBuilder out = new StringBuilder();
    while (true) {
      char c = at < text.length() ? text.charAt(at++) : END;
      if (c == '"') {
        return out.toString();
      }
      if (c < ' ' || (c == END && at >= text.length())) {
        throw malformed();
      }
      out.append(c == '\\' ? escape() : c);
    }
  }

  private char escape() {
    char c = at < text.length() ? text.charAt(at++) : END;
    if (c == 'u' && text.length() - at >= 4) {
      at += 4;
      // Refuses digits that are not hexadecimal.
      return (char) HexFormat.fromHexDigits(text, at - 4, at);
    }
    int index = ESCAPES.indexOf(c);
    if (index < 0) {
      throw malformed();
    }
    return ESCAPED.charAt(index);
  }

  private Object number() {
    int start = at;
    at += peek() == '-' ? 1 : 0;
    int first = at;
    digits();
    if (text.charAt(first) == '0' && at > first + 1) {
      throw malformed();
    }
    int end = at;
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      digits();
    }
    if (at < text.length() && (text.charAt(at) | ' ') == 'e') {
      at++;
      at += at < text.length() && "+-".indexOf(text.charAt(at)) >= 0 ? 1 : 0;
      digits();
    }
    if (at > end) {
      return OTHER;
    }
    try {
      return Long.parseLong(text, start, end, 10);
    } catch (NumberFormatException e) {
      // More digits than a long has.
      return OTHER;
    }
  }

  private void digits() {
    int start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == start) {
      throw malformed();
    }
  }
}
