package dev.holdfast.http.url;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Names of hosts in ASCII: mapped to lower case and compatible forms, then encoded label by label
 * (RFC 3492). {@link java.net.IDN} is not used: under its rules, which browsers no longer follow,
 * {@code ß} is {@code ss}, which is a different host. Labels that are already encoded are kept.
 */
final class DomainToAscii {

  private static final String PREFIX = "xn--";
  private static final int LABEL_LENGTH_MAX = 63;

  /** The one letter whose lower case is two characters. */
  private static final int DOTTED_I = 0x130;

  private static final int BASE = 36;
  private static final int T_MIN = 1;
  private static final int T_MAX = 26;
  private static final int SKEW = 38;
  private static final int DAMP = 700;
  private static final int FIRST_BIAS = 72;

  private DomainToAscii() {}

  /** {@return a name in ASCII, or null if it has characters that are not allowed in names} */
  static @Nullable String convert(String name) {
    if (name.chars().allMatch(c -> c < 128)) {
      return name.toLowerCase(Locale.ROOT);
    }
    String mapped = lowerCase(Normalizer.normalize(lowerCase(name), Normalizer.Form.NFKC));
    List<String> labels = new ArrayList<>();
    for (String label : Normalizer.normalize(mapped, Normalizer.Form.NFC).split("[.\u3002]", -1)) {
      String ascii = label.chars().allMatch(c -> c < 128) ? label : encodedLabel(label);
      if (ascii == null) {
        return null;
      }
      labels.add(ascii);
    }
    return String.join(".", labels);
  }

  private static @Nullable String encodedLabel(String label) {
    int[] points = label.codePoints().toArray();
    if (points.length > LABEL_LENGTH_MAX) {
      return null;
    }
    for (int i = 0; i < points.length; i++) {
      if (points[i] >= 128 && !isAllowed(points[i], i == 0)) {
        return null;
      }
    }
    String encoded = PREFIX + encode(points);
    // A label that is marked as encoded cannot contain characters that need encoding.
    return label.startsWith(PREFIX) || encoded.length() > LABEL_LENGTH_MAX ? null : encoded;
  }

  private static boolean isAllowed(int c, boolean isFirst) {
    return switch (Character.getType(c)) {
      case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK, Character.ENCLOSING_MARK ->
          !isFirst;
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.SPACE_SEPARATOR,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  /**
   * Character by character, so that a sigma is the same at the end of a word; ignored characters
   * are omitted.
   */
  private static String lowerCase(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .filter(c -> c != 0xAD && c != 0x200B && c != 0x2060 && c != 0xFEFF)
        .filter(c -> c < 0xFE00 || c > 0xFE0F)
        .forEach(c -> out.append(c == DOTTED_I ? "i\u0307" : lowerCase(c)));
    return out.toString();
  }

  private static String lowerCase(int c) {
    return Character.toString(Character.toLowerCase(c));
  }

  private static String encode(int[] points) {
    StringBuilder out = new StringBuilder();
    for (int c : points) {
      if (c < 128) {
        out.append((char) c);
      }
    }
    int basic = out.length();
    int handled = basic;
    if (basic > 0) {
      out.append('-');
    }
    int n = 128;
    int delta = 0;
    int bias = FIRST_BIAS;
    while (handled < points.length) {
      int next = Integer.MAX_VALUE;
      for (int c : points) {
        next = c >= n && c < next ? c : next;
      }
      delta += (next - n) * (handled + 1);
      n = next;
      for (int c : points) {
        if (c < n) {
          delta++;
        } else if (c == n) {
          appendNumber(out, delta, bias);
          bias = adapt(delta, handled + 1, handled == basic);
          delta = 0;
          handled++;
        }
      }
      delta++;
      n++;
    }
    return out.toString();
  }

  private static void appendNumber(StringBuilder out, int delta, int bias) {
    int rest = delta;
    int k = BASE;
    int t = Math.clamp(k - bias, T_MIN, T_MAX);
    while (rest >= t) {
      out.append(digit(t + (rest - t) % (BASE - t)));
      rest = (rest - t) / (BASE - t);
      k += BASE;
      t = Math.clamp(k - bias, T_MIN, T_MAX);
    }
    out.append(digit(rest));
  }

  private static char digit(int value) {
    return (char) (value < 26 ? 'a' + value : '0' + value - 26);
  }

  private static int adapt(int delta, int count, boolean isFirst) {
    int rest = isFirst ? delta / DAMP : delta / 2;
    rest += rest / count;
    int k = 0;
    while (rest > (BASE - T_MIN) * T_MAX / 2) {
      rest /= BASE - T_MIN;
      k += BASE;
    }
    return k + (BASE - T_MIN + 1) * rest / (rest + SKEW);
  }
}
