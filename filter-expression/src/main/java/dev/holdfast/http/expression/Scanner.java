package dev.holdfast.http.expression;

/** The text of an expression and the current position in it. */
final class Scanner {

  private final String text;
  private final int end;
  private int at;

  Scanner(String text) {
    this.text = text;
    int start = 0;
    int stop = text.length();
    while (start < stop && isSpace(text.charAt(start))) {
      start++;
    }
    while (stop > start && isSpace(text.charAt(stop - 1))) {
      stop--;
    }
    this.at = start;
    this.end = stop;
  }

  /** A tab is not a space in this language. */
  private static boolean isSpace(char c) {
    return c == ' ' || c == '\r' || c == '\n';
  }

  static boolean isNameCharacter(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  int at() {
    return at;
  }

  void back(int position) {
    at = position;
  }

  boolean atEnd() {
    return at >= end;
  }

  int end() {
    return end;
  }

  /** The next character; U+0000 at the end, which no token begins with. */
  char peek() {
    return peek(0);
  }

  char peek(int ahead) {
    return at + ahead < end ? text.charAt(at + ahead) : '\0';
  }

  char next() {
    return text.charAt(at++);
  }

  String from(int start) {
    return text.substring(start, at);
  }

  void skipSpace() {
    while (at < end && isSpace(text.charAt(at))) {
      at++;
    }
  }

  /** Takes a sign if it is next. */
  boolean take(String sign) {
    if (text.startsWith(sign, at) && at + sign.length() <= end) {
      at += sign.length();
      return true;
    }
    return false;
  }

  /** Takes a word if it is next and is not part of a longer word. */
  boolean takeWord(String word) {
    int after = at + word.length();
    if (text.startsWith(word, at)
        && after <= end
        && (after == end || !isNameCharacter(text.charAt(after)))) {
      at = after;
      return true;
    }
    return false;
  }

  /** Takes characters as long as a predicate accepts them. */
  String takeWhile(java.util.function.IntPredicate liked) {
    int start = at;
    while (at < end && liked.test(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  FilterSyntaxException error(int start, int stop, String reason) {
    return new FilterSyntaxException(text, start, stop, reason);
  }

  /** Creates an exception for a mistake at the current position. */
  FilterSyntaxException errorHere(String reason) {
    return error(at, end, reason);
  }
}
