package dev.holdfast.clone;

/** A pattern with a position. */
final class RegExpCursor {

  private final String source;
  private int at;

  RegExpCursor(String source) {
    this.source = source;
  }

  int position() {
    return at;
  }

  void moveTo(int position) {
    at = position;
  }

  boolean atEnd() {
    return at == source.length();
  }

  char next() {
    return source.charAt(at++);
  }

  int nextCodePoint() {
    int c = source.codePointAt(at);
    at += Character.charCount(c);
    return c;
  }

  boolean isAt(String expected) {
    return source.startsWith(expected, at);
  }

  boolean isAtOneOf(String characters) {
    return at < source.length() && characters.indexOf(source.charAt(at)) >= 0;
  }

  /** Moves behind the text if it comes next. */
  boolean skip(String expected) {
    if (!isAt(expected)) {
      return false;
    }
    at += expected.length();
    return true;
  }

  /** Returns what lies before the next such character and moves behind it; empty if none comes. */
  String upTo(char end) {
    int index = source.indexOf(end, at);
    if (index < 0) {
      return "";
    }
    String text = source.substring(at, index);
    at = index + 1;
    return text;
  }

  /** Reads decimal digits, as many as there are. */
  String digits() {
    int start = at;
    while (isAtOneOf("0123456789")) {
      at++;
    }
    return source.substring(start, at);
  }

  /** Reads so many hexadecimal digits; -1, and stays, if there are fewer. */
  int hex(int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
      int digit = at + i < source.length() ? hexDigit(source.charAt(at + i)) : -1;
      if (digit < 0) {
        return -1;
      }
      value = value * 16 + digit;
    }
    at += count;
    return value;
  }

  /** Not of other scripts, which {@code Character.digit} takes as well. */
  static int hexDigit(char c) {
    return c <= 'f' ? Character.digit(c, 16) : -1;
  }

  IllegalArgumentException fault(String reason) {
    String shown = source.length() <= 80 ? source : source.substring(0, 80) + "...";
    return new IllegalArgumentException("no pattern, " + reason + " at " + at + ": " + shown);
  }
}
