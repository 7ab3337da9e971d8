package dev.holdfast.http.expression;

import dev.holdfast.http.expression.Comparison.InNetworks.Network;
import dev.holdfast.http.expression.Comparison.InRanges.Range;

/** Reads literals: the type of the other operand determines how a literal is read. */
final class Literals {

  private static final int MAPPED_BITS = 96;

  private final Scanner in;

  Literals(Scanner in) {
    this.in = in;
  }

  /** A quoted, raw or hexadecimal byte string. */
  String bytes() throws FilterSyntaxException {
    int start = in.at();
    if (in.peek() == '"') {
      in.next();
      return quoted(start);
    }
    if (startsRaw()) {
      return Bytes.ofText(raw());
    }
    if (Character.digit(in.peek(), 16) >= 0 && Character.digit(in.peek(1), 16) >= 0) {
      return hexadecimal();
    }
    throw in.errorHere("expected literal \"\\\"\"");
  }

  /** Returns whether a raw string is next. */
  boolean startsRaw() {
    return in.peek() == 'r' && (in.peek(1) == '"' || in.peek(1) == '#');
  }

  private String quoted(int start) throws FilterSyntaxException {
    StringBuilder out = new StringBuilder();
    StringBuilder plain = new StringBuilder();
    while (!in.atEnd()) {
      char c = in.next();
      if (c == '"') {
        return out.append(Bytes.ofText(plain.toString())).toString();
      }
      if (c != '\\') {
        plain.append(c);
        continue;
      }
      // Escapes are bytes, the rest is text: only text is encoded.
      out.append(Bytes.ofText(plain.toString())).append(escape());
      plain.setLength(0);
    }
    throw in.error(start, in.end(), "could not find an ending quote");
  }

  private char escape() throws FilterSyntaxException {
    int start = in.at();
    char c = in.peek();
    if (c == '"' || c == '\\') {
      return in.next();
    }
    if (c == 'x') {
      in.next();
      int value = digits(2, 16);
      if (value >= 0) {
        return (char) value;
      }
    } else if (Character.digit(c, 8) >= 0) {
      int value = digits(3, 8);
      if (value >= 0 && value < 256) {
        return (char) value;
      }
    }
    throw in.error(start, start + 1, "expected \", xHH or OOO after \\");
  }

  private int digits(int count, int radix) {
    int value = 0;
    for (int i = 0; i < count; i++) {
      int digit = Character.digit(in.peek(), radix);
      if (digit < 0) {
        return -1;
      }
      value = value * radix + digit;
      in.next();
    }
    return value;
  }

  /** {@code r"..."} or {@code r#"..."#}: text without escapes. */
  private String raw() throws FilterSyntaxException {
    int start = in.at();
    in.next();
    String signs = in.takeWhile(c -> c == '#');
    if (signs.length() > ExpressionBounds.RAW_SIGNS_MAX || in.peek() != '"') {
      throw in.error(start, in.at() + 1, "expected literal \"\\\"\"");
    }
    in.next();
    int content = in.at();
    while (!in.atEnd()) {
      int here = in.at();
      if (in.take("\"" + signs)) {
        int after = in.at();
        in.back(here);
        String text = in.from(content);
        in.back(after);
        return text;
      }
      in.next();
    }
    throw in.error(start, in.end(), "could not find an ending quote");
  }

  /** Pairs of digits with {@code :}, {@code -} or {@code .} between them; at least two. */
  private String hexadecimal() throws FilterSyntaxException {
    int start = in.at();
    StringBuilder out = new StringBuilder();
    do {
      int value = digits(2, 16);
      if (value < 0) {
        throw in.error(
            start, in.at() + 1, "invalid digit found in string while parsing with radix 16");
      }
      out.append((char) value);
    } while (in.take(":") || in.take("-") || in.take("."));
    if (out.length() < 2) {
      throw in.error(start, in.at(), "expected literal \"\\\"\"");
    }
    return out.toString();
  }

  /**
   * The source of a regular expression: in quotes, backslashes stay and only {@code \"} is a quote;
   * a quote inside brackets does not end the literal.
   */
  String regex() throws FilterSyntaxException {
    if (startsRaw()) {
      return raw();
    }
    int start = in.at();
    if (!in.take("\"")) {
      throw in.errorHere("expected literal \"\\\"\"");
    }
    StringBuilder out = new StringBuilder();
    boolean inBrackets = false;
    while (!in.atEnd()) {
      char c = in.next();
      if (c == '"' && !inBrackets) {
        return out.toString();
      }
      if (c == '\\' && !in.atEnd()) {
        char escaped = in.next();
        out.append(escaped == '"' ? "" : "\\").append(escaped);
        continue;
      }
      inBrackets = c == '[' || (inBrackets && c != ']');
      out.append(c);
    }
    throw in.error(start, in.end(), "could not find an ending quote");
  }

  long integer() throws FilterSyntaxException {
    int start = in.at();
    boolean negative = in.take("-");
    int radix = 10;
    if (in.take("0x")) {
      radix = 16;
    } else if (in.peek() == '0' && Character.isDigit(in.peek(1))) {
      radix = 8;
    }
    String digits = in.takeWhile(Literals::isDigitOrLetter);
    String why = " while parsing with radix " + radix;
    int base = radix;
    if (digits.isEmpty() || digits.chars().anyMatch(c -> Character.digit(c, base) < 0)) {
      throw in.error(start, in.at(), "invalid digit found in string" + why);
    }
    try {
      return Long.parseLong(negative ? "-" + digits : digits, radix);
    } catch (NumberFormatException e) {
      throw in.error(start, in.at(), "number too large to fit in target type" + why);
    }
  }

  private static boolean isDigitOrLetter(int c) {
    return c != '_' && Scanner.isNameCharacter((char) c);
  }

  Range range() throws FilterSyntaxException {
    int start = in.at();
    long first = integer();
    long last = in.take("..") ? integer() : first;
    if (last < first) {
      throw in.error(start, in.at(), "incompatible range bounds");
    }
    return new Range(first, last);
  }

  IpAddress ip() throws FilterSyntaxException {
    int start = in.at();
    // Two points end an address, as in a range.
    while (isAddressCharacter(in.peek()) && !(in.peek() == '.' && in.peek(1) == '.')) {
      in.next();
    }
    IpAddress ip = IpAddress.parse(in.from(start));
    if (ip == null) {
      throw in.error(
          start, in.at(), "couldn't parse address in network: invalid IP address syntax");
    }
    return ip;
  }

  private static boolean isAddressCharacter(char c) {
    return c == '.' || c == ':' || Character.digit(c, 16) >= 0;
  }

  Network network() throws FilterSyntaxException {
    int start = in.at();
    IpAddress first = ip();
    if (in.take("..")) {
      IpAddress last = ip();
      if (first.v6() != last.v6() || first.compare(last) > 0) {
        throw in.error(start, in.at(), "incompatible range bounds");
      }
      return new Network(first, last);
    }
    if (!in.take("/")) {
      return new Network(first, first);
    }
    // A network of mapped addresses is one of version 4, whose length is counted from bit 96.
    int mapped = !first.v6() && in.from(start).indexOf(':') >= 0 ? MAPPED_BITS : 0;
    String digits = in.takeWhile(c -> c >= '0' && c <= '9');
    int prefix = digits.isEmpty() || digits.length() > 3 ? -1 : Integer.parseInt(digits) - mapped;
    if (prefix < 0 || prefix > first.bits()) {
      throw in.error(start, in.at(), "couldn't parse network: invalid length for network");
    }
    if (!first.network(prefix).equals(first)) {
      throw in.error(start, in.at(), "host part of address was not zero");
    }
    return new Network(first, first.broadcast(prefix));
  }
}
