package dev.holdfast.clone;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a text is the pattern of a JavaScript regular expression (ECMA-262, 22.2.1 and
 * annex B.1.2), because a reader must refuse one that JavaScript could not compile.
 *
 * <p>In doubt a pattern passes: a stored one that is refused cannot be read at all. Not looked at
 * are the names of Unicode properties and what stands within the classes of the {@code v} flag.
 *
 * <p>Groups are kept on a stack of its own, so that no depth of nesting overflows the thread's.
 */
final class RegExpSyntax {

  /** A group that is open, or the whole pattern. */
  private static final class Group {
    /** Whether a quantifier may follow it. */
    final boolean quantifiable;

    /** Names in the alternative that is being read: none of them may come again. */
    final Set<String> namesHere = new HashSet<>();

    /** Names in the alternatives before it. */
    final Set<String> namesBefore = new HashSet<>();

    Group(boolean quantifiable) {
      this.quantifiable = quantifiable;
    }

    void nextAlternative() {
      namesBefore.addAll(namesHere);
      namesHere.clear();
    }
  }

  private final String source;
  private final boolean unicode;
  private final boolean sets;
  private final Deque<Group> open = new ArrayDeque<>();
  private final Set<String> names = new HashSet<>();
  private final Set<String> referredNames = new HashSet<>();
  private int at;
  private int captures;
  private int greatestReference;
  private boolean brokenNameReference;

  /** Whether the last term may be followed by a quantifier. */
  private boolean quantifiable;

  private RegExpSyntax(String source, String flags) {
    this.source = source;
    this.sets = flags.indexOf('v') >= 0;
    this.unicode = sets || flags.indexOf('u') >= 0;
  }

  /**
   * Checks a pattern.
   *
   * @throws IllegalArgumentException if it is none
   */
  static void check(String source, String flags) {
    new RegExpSyntax(source, flags).check();
  }

  private void check() {
    open.push(new Group(false));
    while (at < source.length()) {
      term(source.charAt(at++));
    }
    if (open.size() > 1) {
      throw fault("a group without end");
    }
    if (unicode && greatestReference > captures) {
      throw fault("a reference to group " + greatestReference + " of " + captures);
    }
    boolean namesMatter = unicode || !names.isEmpty();
    if (namesMatter && (brokenNameReference || !names.containsAll(referredNames))) {
      throw fault("a reference to a group of no name");
    }
  }

  private void term(char c) {
    switch (c) {
      case '(' -> openGroup();
      case ')' -> closeGroup();
      case '|' -> {
        open.getFirst().nextAlternative();
        quantifiable = false;
      }
      case '^', '$' -> quantifiable = false;
      case '*', '+', '?' -> quantifier();
      case '{' -> brace();
      case '}', ']' -> literalInLegacy(c);
      case '[' -> {
        characterClass();
        quantifiable = true;
      }
      case '\\' -> escape();
      default -> quantifiable = true;
    }
  }

  private void openGroup() {
    boolean repeatable = true;
    String name = null;
    if (!skip("?")) {
      captures++;
    } else if (skip("=") || skip("!")) {
      repeatable = !unicode;
    } else if (skip("<=") || skip("<!")) {
      repeatable = false;
    } else if (skip("<")) {
      captures++;
      name = groupName();
      if (name == null) {
        throw fault("a broken name of a group");
      }
    } else if (!skip(":")) {
      modifiers();
    }
    if (name != null) {
      names.add(name);
      for (Group group : open) {
        if (group.namesHere.contains(name)) {
          throw fault("two groups named " + name);
        }
      }
      open.getFirst().namesHere.add(name);
    }
    if (open.size() > StructuredClone.DEPTH_MAX) {
      throw fault("groups nested more than " + StructuredClone.DEPTH_MAX + " deep");
    }
    open.push(new Group(repeatable));
    quantifiable = false;
  }

  private void closeGroup() {
    if (open.size() == 1) {
      throw fault("an end without a group");
    }
    Group closed = open.pop();
    closed.nextAlternative();
    open.getFirst().namesHere.addAll(closed.namesBefore);
    quantifiable = closed.quantifiable;
  }

  /** Reads {@code ims-ims:} behind the question mark of a group. */
  private void modifiers() {
    Set<Character> seen = new HashSet<>();
    while (at < source.length() && "ims-".indexOf(source.charAt(at)) >= 0) {
      if (!seen.add(source.charAt(at++))) {
        throw fault("a modifier twice");
      }
    }
    if (seen.isEmpty() || seen.equals(Set.of('-')) || !skip(":")) {
      throw fault("an unknown kind of group");
    }
  }

  private void quantifier() {
    if (!quantifiable) {
      throw fault("nothing to repeat");
    }
    skip("?");
    quantifiable = false;
  }

  /** A brace begins a quantifier, or stands for itself outside of Unicode mode. */
  private void brace() {
    int start = at;
    String least = digits();
    String most = least;
    boolean open = false;
    if (!least.isEmpty() && skip(",")) {
      most = digits();
      open = most.isEmpty();
    }
    if (least.isEmpty() || !skip("}")) {
      at = start;
      literalInLegacy('{');
      return;
    }
    if (!open && compare(least, most) > 0) {
      throw fault("a quantifier with its numbers out of order");
    }
    quantifier();
  }

  private String digits() {
    int start = at;
    while (at < source.length() && isDigit(source.charAt(at))) {
      at++;
    }
    return source.substring(start, at);
  }

  /** Compares numbers of any length. */
  private static int compare(String a, String b) {
    String left = a.replaceFirst("^0+", "");
    String right = b.replaceFirst("^0+", "");
    return left.length() != right.length()
        ? Integer.compare(left.length(), right.length())
        : left.compareTo(right);
  }

  private void literalInLegacy(char c) {
    if (unicode) {
      throw fault("a lone " + c);
    }
    quantifiable = true;
  }

  private void escape() {
    if (at == source.length()) {
      throw fault("a backslash at the end");
    }
    char c = source.charAt(at);
    if (c == 'b' || c == 'B') {
      at++;
      quantifiable = false;
      return;
    }
    quantifiable = true;
    if (c == 'k') {
      at++;
      nameReference();
    } else if (c >= '1' && c <= '9') {
      String number = digits();
      greatestReference =
          Math.max(greatestReference, number.length() > 9 ? 999_999_999 : Integer.parseInt(number));
    } else {
      escapedCharacter(false);
    }
  }

  private void nameReference() {
    int start = at;
    String name = skip("<") ? groupName() : null;
    if (name == null) {
      brokenNameReference = true;
      at = start;
    } else {
      referredNames.add(name);
    }
  }

  /** Reads a name and the bracket behind it; null if there is none. */
  private @Nullable String groupName() {
    int end = source.indexOf('>', at);
    if (end <= at) {
      return null;
    }
    String name = source.substring(at, end);
    // A name may be written with escapes; those are taken as they are.
    boolean valid =
        name.indexOf('\\') >= 0
            || (isNameStart(name.codePointAt(0))
                && name.codePoints().allMatch(RegExpSyntax::isNamePart));
    at = end + 1;
    return valid ? name : null;
  }

  private static boolean isNameStart(int c) {
    return c == '$' || c == '_' || Character.isUnicodeIdentifierStart(c);
  }

  private static boolean isNamePart(int c) {
    return c == '$' || c == 0x200C || c == 0x200D || Character.isUnicodeIdentifierPart(c);
  }

  /**
   * Reads what follows a backslash, if it stands for a character or a class of characters.
   *
   * @return the character; -1 for a class
   */
  private int escapedCharacter(boolean inClass) {
    int c = source.codePointAt(at);
    at += Character.charCount(c);
    return switch (c) {
      case 'd', 'D', 's', 'S', 'w', 'W' -> -1;
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
    int end = source.indexOf('}', at);
    if (!skip("{") || end <= at) {
      throw fault("a broken property");
    }
    at = end + 1;
    return -1;
  }

  private int control() {
    if (at < source.length() && isAsciiLetter(source.charAt(at))) {
      return source.charAt(at++) & 0x1F;
    }
    if (unicode) {
      throw fault("a broken control character");
    }
    // The backslash then stands for itself, and the c comes again.
    at--;
    return '\\';
  }

  private int hex(int digits, int otherwise) {
    int value = 0;
    for (int i = 0; i < digits; i++) {
      int digit = at + i < source.length() ? Character.digit(source.charAt(at + i), 16) : -1;
      if (digit < 0 || source.charAt(at + i) > 'f') {
        if (unicode) {
          throw fault("a broken escape");
        }
        return otherwise;
      }
      value = value * 16 + digit;
    }
    at += digits;
    return value;
  }

  private int unicodeEscape() {
    if (!unicode || !skip("{")) {
      int high = hex(4, 'u');
      return unicode ? withLowSurrogate(high) : high;
    }
    int end = source.indexOf('}', at);
    String digits = end < 0 ? "" : source.substring(at, end).replaceFirst("^0+(?=.)", "");
    if (digits.isEmpty() || digits.length() > 6 || !isHex(digits)) {
      throw fault("a broken code point");
    }
    int codePoint = Integer.parseInt(digits, 16);
    if (codePoint > Character.MAX_CODE_POINT) {
      throw fault("a code point beyond Unicode");
    }
    at = end + 1;
    return codePoint;
  }

  private int withLowSurrogate(int high) {
    if (Character.isHighSurrogate((char) high)
        && source.startsWith("\\u", at)
        && at + 6 <= source.length()
        && isHex(source.substring(at + 2, at + 6))) {
      int low = Integer.parseInt(source.substring(at + 2, at + 6), 16);
      if (Character.isLowSurrogate((char) low)) {
        at += 6;
        return Character.toCodePoint((char) high, (char) low);
      }
    }
    return high;
  }

  private int octal(int first) {
    boolean digitFollows = at < source.length() && isDigit(source.charAt(at));
    if (unicode && (first != '0' || digitFollows)) {
      throw fault("a broken decimal escape");
    }
    int value = first - '0';
    if (value > 7) {
      return first;
    }
    while (at < source.length()
        && source.charAt(at) >= '0'
        && source.charAt(at) <= '7'
        && value * 8 + source.charAt(at) - '0' <= 0xFF) {
      value = value * 8 + source.charAt(at++) - '0';
    }
    return value;
  }

  private int identity(int c, boolean inClass) {
    boolean syntax = "^$\\.*+?()[]{}|/".indexOf(c) >= 0 || (inClass && (c == '-' || sets));
    if (unicode && !syntax) {
      throw fault("an escape of a character that needs none");
    }
    return c;
  }

  private void characterClass() {
    if (sets) {
      setClass();
      return;
    }
    skip("^");
    while (!skip("]")) {
      int from = classAtom();
      // A hyphen before the end stands for itself.
      if (!source.startsWith("-", at) || source.startsWith("-]", at)) {
        continue;
      }
      at++;
      int to = classAtom();
      if (from < 0 || to < 0) {
        if (unicode) {
          throw fault("a range that begins or ends with a class");
        }
      } else if (from > to) {
        throw fault("a range out of order");
      }
    }
  }

  /** Reads one member of a class; -1 if it is a class itself. */
  private int classAtom() {
    if (at == source.length()) {
      throw fault("a class without end");
    }
    int c = unicode ? source.codePointAt(at) : source.charAt(at);
    at += Character.charCount(c);
    if (c != '\\') {
      return c;
    }
    if (at == source.length()) {
      throw fault("a backslash at the end");
    }
    return skip("b") ? '\b' : escapedCharacter(true);
  }

  /** Skips a class of the {@code v} flag with all that are nested in it. */
  private void setClass() {
    int depth = 1;
    while (depth > 0) {
      if (at == source.length()) {
        throw fault("a class without end");
      }
      char c = source.charAt(at++);
      if (c == '\\') {
        at = Math.min(at + 1, source.length());
      } else if (c == '[') {
        depth++;
      } else if (c == ']') {
        depth--;
      }
    }
  }

  private boolean skip(String expected) {
    if (!source.startsWith(expected, at)) {
      return false;
    }
    at += expected.length();
    return true;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isAsciiLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isHex(String text) {
    return text.chars().allMatch(c -> c <= 'f' && Character.digit(c, 16) >= 0);
  }

  private IllegalArgumentException fault(String reason) {
    return new IllegalArgumentException("no pattern, " + reason + " at " + at + ": " + shown());
  }

  private String shown() {
    return source.length() <= 80 ? source : source.substring(0, 80) + "...";
  }
}
