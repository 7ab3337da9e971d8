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

  private final RegExpCursor in;
  private final RegExpCharacters characters;
  private final boolean unicode;
  private final Deque<Group> open = new ArrayDeque<>();
  private final Set<String> names = new HashSet<>();
  private final Set<String> referredNames = new HashSet<>();
  private int captures;
  private int greatestReference;
  private boolean brokenNameReference;

  /** Whether the last term may be followed by a quantifier. */
  private boolean quantifiable;

  private RegExpSyntax(String source, String flags) {
    boolean sets = flags.indexOf('v') >= 0;
    this.in = new RegExpCursor(source);
    this.unicode = sets || flags.indexOf('u') >= 0;
    this.characters = new RegExpCharacters(in, unicode, sets);
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
    while (!in.atEnd()) {
      term(in.next());
    }
    if (open.size() > 1) {
      throw in.fault("a group without end");
    }
    if (unicode && greatestReference > captures) {
      throw in.fault("a reference to group " + greatestReference + " of " + captures);
    }
    boolean namesMatter = unicode || !names.isEmpty();
    if (namesMatter && (brokenNameReference || !names.containsAll(referredNames))) {
      throw in.fault("a reference to a group of no name");
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
        characters.characterClass();
        quantifiable = true;
      }
      case '\\' -> escape();
      default -> quantifiable = true;
    }
  }

  private void openGroup() {
    boolean repeatable = true;
    String name = null;
    if (!in.skip("?")) {
      captures++;
    } else if (in.skip("=") || in.skip("!")) {
      repeatable = !unicode;
    } else if (in.skip("<=") || in.skip("<!")) {
      repeatable = false;
    } else if (in.skip("<")) {
      captures++;
      name = groupName();
      if (name == null) {
        throw in.fault("a broken name of a group");
      }
    } else if (!in.skip(":")) {
      modifiers();
    }
    if (name != null) {
      names.add(name);
      for (Group group : open) {
        if (group.namesHere.contains(name)) {
          throw in.fault("two groups named " + name);
        }
      }
      open.getFirst().namesHere.add(name);
    }
    if (open.size() > StructuredClone.DEPTH_MAX) {
      throw in.fault("groups nested more than " + StructuredClone.DEPTH_MAX + " deep");
    }
    open.push(new Group(repeatable));
    quantifiable = false;
  }

  private void closeGroup() {
    if (open.size() == 1) {
      throw in.fault("an end without a group");
    }
    Group closed = open.pop();
    closed.nextAlternative();
    open.getFirst().namesHere.addAll(closed.namesBefore);
    quantifiable = closed.quantifiable;
  }

  /** Reads {@code ims-ims:} behind the question mark of a group. */
  private void modifiers() {
    Set<Character> seen = new HashSet<>();
    while (in.isAtOneOf("ims-")) {
      if (!seen.add(in.next())) {
        throw in.fault("a modifier twice");
      }
    }
    if (seen.isEmpty() || seen.equals(Set.of('-')) || !in.skip(":")) {
      throw in.fault("an unknown kind of group");
    }
  }

  private void quantifier() {
    if (!quantifiable) {
      throw in.fault("nothing to repeat");
    }
    in.skip("?");
    quantifiable = false;
  }

  /** A brace begins a quantifier, or stands for itself outside of Unicode mode. */
  private void brace() {
    int start = in.position();
    String least = in.digits();
    String most = least;
    boolean unbounded = false;
    if (!least.isEmpty() && in.skip(",")) {
      most = in.digits();
      unbounded = most.isEmpty();
    }
    if (least.isEmpty() || !in.skip("}")) {
      in.moveTo(start);
      literalInLegacy('{');
      return;
    }
    if (!unbounded && compare(least, most) > 0) {
      throw in.fault("a quantifier with its numbers out of order");
    }
    quantifier();
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
      throw in.fault("a lone " + c);
    }
    quantifiable = true;
  }

  private void escape() {
    if (in.atEnd()) {
      throw in.fault("a backslash at the end");
    }
    if (in.skip("b") || in.skip("B")) {
      quantifiable = false;
      return;
    }
    quantifiable = true;
    if (in.skip("k")) {
      nameReference();
    } else if (in.isAtOneOf("123456789")) {
      String number = in.digits();
      greatestReference =
          Math.max(greatestReference, number.length() > 9 ? 999_999_999 : Integer.parseInt(number));
    } else {
      characters.escaped(false);
    }
  }

  private void nameReference() {
    int start = in.position();
    String name = in.skip("<") ? groupName() : null;
    if (name == null) {
      brokenNameReference = true;
      in.moveTo(start);
    } else {
      referredNames.add(name);
    }
  }

  /** Reads a name and the bracket behind it; null if there is none. */
  private @Nullable String groupName() {
    String name = in.upTo('>');
    if (name.isEmpty()) {
      return null;
    }
    // A name may be written with escapes; those are taken as they are.
    boolean valid =
        name.indexOf('\\') >= 0
            || (isNameStart(name.codePointAt(0))
                && name.codePoints().allMatch(RegExpSyntax::isNamePart));
    return valid ? name : null;
  }

  private static boolean isNameStart(int c) {
    return c == '$' || c == '_' || Character.isUnicodeIdentifierStart(c);
  }

  private static boolean isNamePart(int c) {
    return c == '$' || c == 0x200C || c == 0x200D || Character.isUnicodeIdentifierPart(c);
  }
}
