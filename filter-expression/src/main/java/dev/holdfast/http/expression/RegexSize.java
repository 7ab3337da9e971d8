package dev.holdfast.http.expression;

/**
 * Estimates the number of states of a regular expression: each character and class is one state,
 * and a counted repetition multiplies the states of what it repeats. Malformed expressions also get
 * a size; the compiler refuses them. Owned by one thread.
 */
final class RegexSize {

  /** Above this value the exact number does not matter. */
  private static final long ENOUGH = 1L << 40;

  private final String source;
  private int at;

  private RegexSize(String source) {
    this.source = source;
  }

  static long of(String source) {
    RegexSize size = new RegexSize(source);
    long[] groups = new long[source.length() + 1];
    int depth = 0;
    long last = 0; // size of what a repetition would repeat; is in the sum of its group
    while (size.at < source.length()) {
      char c = source.charAt(size.at);
      switch (c) {
        case '(' -> {
          size.at++;
          groups[++depth] = 1;
          last = 0;
        }
        case ')' -> {
          size.at++;
          last = groups[depth];
          depth = Math.max(0, depth - 1);
          groups[depth] = Math.min(ENOUGH, groups[depth] + last);
        }
        case '{' -> {
          long count = size.count();
          if (count > 1) {
            long more = Math.min(ENOUGH, last * (count - 1));
            groups[depth] = Math.min(ENOUGH, groups[depth] + more);
            last = Math.min(ENOUGH, last + more);
          }
        }
        default -> {
          size.skipAtom(c);
          if (c != '*' && c != '+' && c != '?') {
            last = 1;
          }
          groups[depth]++;
        }
      }
    }
    long sum = 0;
    for (int i = 0; i <= depth; i++) {
      sum += groups[i];
    }
    return sum;
  }

  /**
   * Reads {@code {n}}, {@code {n,}} or {@code {n,m}}; 1 if it is not a repetition but a character.
   */
  private long count() {
    int end = source.indexOf('}', at);
    String inside = end < 0 ? "" : source.substring(at + 1, end);
    if (!inside.matches("[0-9]{1,9}(,[0-9]{0,9})?")) {
      at++;
      return 1;
    }
    at = end + 1;
    int comma = inside.indexOf(',');
    long least = Long.parseLong(comma < 0 ? inside : inside.substring(0, comma));
    return comma < 0 || comma == inside.length() - 1
        ? least + 1
        : Math.max(least, Long.parseLong(inside.substring(comma + 1)));
  }

  private void skipAtom(char c) {
    if (c == '\\') {
      skipEscape();
    } else if (c == '[') {
      at = endOfClass();
    } else {
      at++;
    }
  }

  /** Quoted text, or text in braces, is neither a group nor a repetition. */
  private void skipEscape() {
    char kind = at + 1 < source.length() ? source.charAt(at + 1) : ' ';
    if (kind == 'Q') {
      int end = source.indexOf("\\E", at);
      at = end < 0 ? source.length() : end + 2;
    } else if ("xpP".indexOf(kind) >= 0 && source.startsWith("{", at + 2)) {
      int end = source.indexOf('}', at);
      at = end < 0 ? source.length() : end + 1;
    } else {
      at += 2;
    }
  }

  private int endOfClass() {
    int end = at + 1;
    if (end < source.length() && source.charAt(end) == '^') {
      end++;
    }
    if (end < source.length() && source.charAt(end) == ']') {
      end++;
    }
    while (end < source.length() && source.charAt(end) != ']') {
      if (source.startsWith("[:", end) && source.indexOf(":]", end) > 0) {
        end = source.indexOf(":]", end) + 2;
      } else {
        end += source.charAt(end) == '\\' ? 2 : 1;
      }
    }
    return Math.min(source.length(), end + 1);
  }
}
