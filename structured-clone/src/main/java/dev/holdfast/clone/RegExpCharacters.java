package dev.holdfast.clone;

/** Escapes and classes of characters in a pattern. */
final class RegExpCharacters {

  /** What stands for a class of characters rather than for one. */
  private static final int CLASS = -1;

  private final RegExpCursor in;
  private final boolean unicode;
  private final boolean sets;

  RegExpCharacters(RegExpCursor in, boolean unicode, boolean sets) {
    this.in = in;
    this.unicode = unicode;
    this.sets = sets;
  }

  /**
   * Reads what follows a backslash, if it stands for a character or a class of characters.
   *
   * @return the character; -1 for a class
   */
  int escaped(boolean inClass) {
    int c = in.nextCodePoint();
    return switch (c) {
      case 'd', 'D', 's', 'S', 'w', 'W' -> CLASS;
      case 'p', 'P' -> unicode ? property() : c;
      case 't' -> '\t';
      case 'n' -> '\n';
      case 'v' -> 0x0B;
      case 'f' -> '\f';
      case 'r' -> '\r';
      case 'c' -> control();
      case 'x' -> hex(2, c);
      case 'u' -> unicodeEscape();
      case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> octal(c);
      default -> identity(c, inClass);
    };
  }

  private int property() {
    if (!in.skip("{") || in.upTo('}').isEmpty()) {
      throw in.fault("a broken property");
    }
    return CLASS;
  }

  private int control() {
    if (in.isAtOneOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
      return in.next() & 0x1F;
    }
    if (unicode) {
      throw in.fault("a broken control character");
    }
    // The backslash then stands for itself, and the c comes again.
    in.moveTo(in.position() - 1);
    return '\\';
  }

  private int hex(int digits, int otherwise) {
    int value = in.hex(digits);
    if (value < 0 && unicode) {
      throw in.fault("a broken escape");
    }
    return value < 0 ? otherwise : value;
  }

  private int unicodeEscape() {
    if (unicode && in.skip("{")) {
      return codePoint(in.upTo('}'));
    }
    int high = hex(4, 'u');
    int start = in.position();
    if (unicode && Character.isHighSurrogate((char) high) && in.skip("\\u")) {
      int low = in.hex(4);
      if (low >= 0 && Character.isLowSurrogate((char) low)) {
        return Character.toCodePoint((char) high, (char) low);
      }
      in.moveTo(start);
    }
    return high;
  }

  private int codePoint(String hex) {
    int value = hex.isEmpty() ? Integer.MAX_VALUE : 0;
    for (int i = 0; i < hex.length() && value <= Character.MAX_CODE_POINT; i++) {
      int digit = RegExpCursor.hexDigit(hex.charAt(i));
      value = digit < 0 ? Integer.MAX_VALUE : value * 16 + digit;
    }
    if (value > Character.MAX_CODE_POINT) {
      throw in.fault("a broken code point");
    }
    return value;
  }

  private int octal(int first) {
    if (unicode && (first != '0' || in.isAtOneOf("0123456789"))) {
      throw in.fault("a broken decimal escape");
    }
    int value = first - '0';
    if (value > 7) {
      return first;
    }
    // At most \377: a first digit above 3 leaves room for one more only.
    while (value <= 31 && in.isAtOneOf("01234567")) {
      value = value * 8 + in.next() - '0';
    }
    return value;
  }

  private int identity(int c, boolean inClass) {
    boolean syntax = "^$\\.*+?()[]{}|/".indexOf(c) >= 0 || (inClass && (c == '-' || sets));
    if (unicode && !syntax) {
      throw in.fault("an escape of a character that needs none");
    }
    return c;
  }

  /** Reads a class behind its bracket. */
  void characterClass() {
    if (sets) {
      setClass();
      return;
    }
    in.skip("^");
    while (!in.skip("]")) {
      int from = classAtom();
      // A hyphen before the end stands for itself.
      if (!in.isAt("-") || in.isAt("-]")) {
        continue;
      }
      in.next();
      int to = classAtom();
      if (from == CLASS || to == CLASS) {
        if (unicode) {
          throw in.fault("a range that begins or ends with a class");
        }
      } else if (from > to) {
        throw in.fault("a range out of order");
      }
    }
  }

  private int classAtom() {
    if (in.atEnd()) {
      throw in.fault("a class without end");
    }
    int c = unicode ? in.nextCodePoint() : in.next();
    if (c != '\\') {
      return c;
    }
    if (in.atEnd()) {
      throw in.fault("a backslash at the end");
    }
    return in.skip("b") ? '\b' : escaped(true);
  }

  /** Skips a class of the {@code v} flag with all that are nested in it. */
  private void setClass() {
    int depth = 1;
    while (depth > 0) {
      if (in.atEnd()) {
        throw in.fault("a class without end");
      }
      char c = in.next();
      if (c == '\\' && !in.atEnd()) {
        in.next();
      } else if (c == '[') {
        depth++;
      } else if (c == ']') {
        depth--;
      }
    }
  }
}
