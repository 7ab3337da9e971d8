package dev.holdfast.http.expression;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Functions that rewrite text. */
final class TextFunctions {

  private TextFunctions() {}

  /** Options: {@code r} decodes until nothing changes, {@code u} also decodes {@code %uXXXX}. */
  static Object urlDecode(Object[] a, FilterWork work) {
    String options = a.length > 1 ? (String) a[1] : "";
    String text = (String) a[0];
    boolean wide = options.contains("u");
    String decoded = decodeOnce(text, wide, work);
    for (int i = 1;
        options.contains("r") && i < ExpressionBounds.DECODINGS_MAX && !decoded.equals(text);
        i++) {
      text = decoded;
      decoded = decodeOnce(text, wide, work);
    }
    return decoded;
  }

  private static String decodeOnce(String bytes, boolean wide, FilterWork work) {
    work.read(4L * bytes.length());
    StringBuilder out = new StringBuilder(bytes.length());
    int at = 0;
    while (at < bytes.length()) {
      char c = bytes.charAt(at);
      int value = c == '%' ? hex(bytes, at + 1, 2) : -1;
      int unit = c == '%' && wide && bytes.startsWith("u", at + 1) ? hex(bytes, at + 2, 4) : -1;
      if (unit >= 0) {
        out.append(Bytes.ofText(String.valueOf((char) unit)));
        at += 6;
      } else if (value >= 0) {
        out.append((char) value);
        at += 3;
      } else {
        out.append(c == '+' ? ' ' : c);
        at++;
      }
    }
    return out.toString();
  }

  private static int hex(String text, int from, int digits) {
    if (from + digits > text.length()) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < from + digits; i++) {
      int digit = Character.digit(text.charAt(i), 16);
      if (digit < 0) {
        return -1;
      }
      value = (value << 4) | digit;
    }
    return value;
  }

  static Object regexReplace(Object[] a, FilterWork work) {
    return ((Regex) a[1]).replaceFirst((String) a[0], (String) a[2], work);
  }

  /** Replaces the whole value if the pattern matches it; {@code ${n}} is the n-th star. */
  static @Nullable Object wildcardReplace(Object[] a, FilterWork work) {
    work.read(2L * ((String) a[1]).length());
    Wildcard wildcard;
    try {
      wildcard = Wildcard.compile((String) a[1], a.length > 3 && a[3].equals("s"));
    } catch (IllegalArgumentException e) {
      return null;
    }
    List<String> stars = wildcard.match((String) a[0], work);
    if (stars == null) {
      return a[0];
    }
    StringBuilder out = new StringBuilder();
    Replacement.append(
        out, (String) a[2], star -> star <= stars.size() ? stars.get(star - 1) : null);
    work.read(out.length());
    return out.toString();
  }

  static Object removeBytes(Object[] a) {
    BitSet removed = new BitSet(256);
    ((String) a[1]).chars().forEach(removed::set);
    StringBuilder out = new StringBuilder();
    for (char c : ((String) a[0]).toCharArray()) {
      if (!removed.get(c)) {
        out.append(c);
      }
    }
    return out.toString();
  }

  static Object removeQueryArguments(Object[] a) {
    Set<Object> names = new HashSet<>(List.of(a).subList(1, a.length));
    List<String> kept = new ArrayList<>();
    for (String pair : ((String) a[0]).split("&", -1)) {
      int equals = pair.indexOf('=');
      if (!names.contains(equals < 0 ? pair : pair.substring(0, equals))) {
        kept.add(pair);
      }
    }
    return String.join("&", kept);
  }
}
