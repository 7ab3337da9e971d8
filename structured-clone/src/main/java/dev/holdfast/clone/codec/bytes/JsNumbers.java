package dev.holdfast.clone.codec.bytes;

/** JavaScript numbers where they differ from Java's: tags, array indices, and text. */
public final class JsNumbers {

  /**
   * The smallest integer that is written as an integer; smaller ones are doubles, as in the
   * reference.
   */
  static final int SMALL_INTEGER_MIN = -(1 << 30);

  /** The largest integer that is written as an integer. */
  static final int SMALL_INTEGER_MAX = (1 << 30) - 1;

  /** Up to this value, a double represents every integer exactly. */
  static final long EXACT_INTEGER_MAX = 1L << 53;

  /** The largest array index. */
  static final long INDEX_MAX = 0xFFFF_FFFEL;

  public static boolean isSmallInteger(long value) {
    return value >= SMALL_INTEGER_MIN && value <= SMALL_INTEGER_MAX;
  }

  public static boolean isExactInteger(long value) {
    return value >= -EXACT_INTEGER_MAX && value <= EXACT_INTEGER_MAX;
  }

  /** Returns whether a double is an integer for which a long is written with the same bytes. */
  public static boolean isLargeInteger(double value) {
    long integer = (long) value;
    return integer == value && isExactInteger(integer) && !isSmallInteger(integer);
  }

  /** Returns a property's name as an array index; -1 if it is not an index. */
  public static long arrayIndex(String name) {
    int digits = name.length();
    if (digits == 0 || digits > 10 || (name.charAt(0) == '0' && digits > 1)) {
      return -1;
    }
    long index = 0;
    for (int i = 0; i < digits; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      index = 10 * index + digit;
    }
    return index <= INDEX_MAX ? index : -1;
  }

  /** Returns a number as a property's name: ECMAScript's Number::toString. */
  public static String toString(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (value == 0) {
      return "0";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "Infinity" : "-Infinity";
    }
    long integer = (long) value;
    if (integer == value && isExactInteger(integer)) {
      return Long.toString(integer);
    }
    String text = format(Math.abs(value));
    return value < 0 ? "-" + text : text;
  }

  private static String format(double positive) {
    String java = Double.toString(positive);
    int exponentAt = java.indexOf('E');
    String mantissa = exponentAt < 0 ? java : java.substring(0, exponentAt);
    int exponent = exponentAt < 0 ? 0 : Integer.parseInt(java.substring(exponentAt + 1));
    int point = mantissa.indexOf('.');
    String all = mantissa.substring(0, point) + mantissa.substring(point + 1);
    int leadingZeros = 0;
    while (all.charAt(leadingZeros) == '0') {
      leadingZeros++;
    }
    int end = all.length();
    while (all.charAt(end - 1) == '0') {
      end--;
    }
    // The value is 0.digits times ten to the power of places.
    int places = point - leadingZeros + exponent;
    return layOut(shortest(all.substring(leadingZeros, end), places, positive), places);
  }

  /** Java returns two digits where one is enough (4.9E-324 is 5e-324 in JavaScript). */
  private static String shortest(String digits, int places, double value) {
    if (digits.length() == 2 && digits.charAt(0) != '9') {
      String rounded =
          String.valueOf((char) (digits.charAt(0) + (digits.charAt(1) >= '5' ? 1 : 0)));
      if (Double.parseDouble("0." + rounded + "E" + places) == value) {
        return rounded;
      }
    }
    return digits;
  }

  private static String layOut(String digits, int places) {
    int count = digits.length();
    if (count <= places && places <= 21) {
      return digits + "0".repeat(places - count);
    }
    if (0 < places && places <= 21) {
      return digits.substring(0, places) + "." + digits.substring(places);
    }
    if (-6 < places && places <= 0) {
      return "0." + "0".repeat(-places) + digits;
    }
    int exponent = places - 1;
    String mantissa = count == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
    return mantissa + "e" + (exponent < 0 ? "-" : "+") + Math.abs(exponent);
  }

  private JsNumbers() {}
}
