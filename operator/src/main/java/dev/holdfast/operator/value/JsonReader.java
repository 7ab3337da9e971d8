package dev.holdfast.operator.value;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON as RFC 8259 defines it: objects as maps in their order, numbers with all digits. A
 * member that comes twice is refused. Confined to one thread.
 */
final class JsonReader {

  private static final int DEPTH_MAX = 100;
  private static final int NUMBER_CHARS_MAX = 1_000;
  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9][0-9]*+)(?:\\.[0-9]++)?(?:[eE][+-]?[0-9]{1,4})?");
  private static final String ESCAPES = "\"\\/bfnrt";
  private static final String ESCAPED = "\"\\/\b\f\n\r\t";

  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  /**
   * {@return maps, lists, texts, {@link BigDecimal}, -0.0, booleans and null}
   *
   * @throws IllegalArgumentException if the text is not JSON
   */
  static @Nullable Object read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value(0);
    if (reader.next() != 0) {
      throw reader.unexpected();
    }
    return value;
  }

  /** {@return the next character that is not a space; 0 at the end} */
  private char next() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  private IllegalArgumentException unexpected() {
    return new IllegalArgumentException(
        at >= text.length()
            ? "the JSON ends too early."
            : "it is not JSON at character " + (at + 1) + ".");
  }

  private boolean skip(char c) {
    boolean isNext = next() == c;
    at += isNext ? 1 : 0;
    return isNext;
  }

  private void expect(char c) {
    if (!skip(c)) {
      throw unexpected();
    }
  }

  private @Nullable Object value(int depth) {
    if (depth > DEPTH_MAX) {
      throw new IllegalArgumentException("it is deeper than " + DEPTH_MAX + " levels.");
    }
    return switch (next()) {
      case '{' -> object(depth);
      case '[' -> array(depth);
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private @Nullable Object word(String word, @Nullable Object value) {
    if (!text.startsWith(word, at)) {
      throw unexpected();
    }
    at += word.length();
    return value;
  }

  private Object number() {
    Matcher matcher = NUMBER.matcher(text).region(at, text.length());
    if (!matcher.lookingAt() || matcher.end() - at > NUMBER_CHARS_MAX) {
      throw unexpected();
    }
    String digits = matcher.group();
    at = matcher.end();
    BigDecimal number = new BigDecimal(digits);
    if (number.signum() == 0 && digits.startsWith("-")) {
      return -0.0;
    }
    // A fraction or an exponent says that it is not an integer, also if its digits are.
    return number.scale() == 0 && digits.matches(".*[.eE].*") ? number.setScale(1) : number;
  }

  private List<@Nullable Object> array(int depth) {
    List<@Nullable Object> elements = new ArrayList<>();
    expect('[');
    if (skip(']')) {
      return elements;
    }
    do {
      elements.add(value(depth + 1));
    } while (skip(','));
    expect(']');
    return elements;
  }

  private Map<String, @Nullable Object> object(int depth) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    expect('{');
    if (skip('}')) {
      return members;
    }
    do {
      if (next() != '"') {
        throw unexpected();
      }
      String name = string();
      expect(':');
      if (members.containsKey(name)) {
        throw new IllegalArgumentException("the member \"" + name + "\" comes twice.");
      }
      members.put(name, value(depth + 1));
    } while (skip(','));
    expect('}');
    return members;
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    at++;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') {
        return string.toString();
      }
      if (c < ' ') {
        at--;
        throw unexpected();
      }
      string.append(c == '\\' ? escaped() : c);
    }
    throw unexpected();
  }

  private char escaped() {
    char c = at < text.length() ? text.charAt(at++) : 0;
    if (c == 'u' && at + 4 <= text.length()) {
      String digits = text.substring(at, at + 4);
      if (digits.matches("[0-9a-fA-F]{4}")) {
        at += 4;
        return (char) Integer.parseInt(digits, 16);
      }
    }
    int known = ESCAPES.indexOf(c);
    if (known < 0) {
      at--;
      throw unexpected();
    }
    return ESCAPED.charAt(known);
  }
}
