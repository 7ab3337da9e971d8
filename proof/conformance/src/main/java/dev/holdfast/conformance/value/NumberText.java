package dev.holdfast.conformance.value;

import java.math.BigDecimal;

/** JavaScript's text of a number. */
public final class NumberText {

  /** From this value on, JavaScript writes an exponent. */
  private static final double PLAIN_LIMIT = 1e21;

  private static final double PLAIN_FRACTION_MIN = 1e-6;

  private NumberText() {}

  /**
   * Returns the text of a number.
   *
   * @param value the number
   * @return as {@code String(value)} in JavaScript; without the sign of a negative zero
   */
  public static String of(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "Infinity" : "-Infinity";
    }
    if (value == 0) {
      return "0";
    }
    // Double.toString has the fewest digits that distinguish the number from its neighbours.
    BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    double size = Math.abs(value);
    if (size < PLAIN_LIMIT && size >= PLAIN_FRACTION_MIN) {
      return decimal.toPlainString();
    }
    String digits = decimal.unscaledValue().abs().toString();
    int exponent = digits.length() - 1 - decimal.scale();
    return (value < 0 ? "-" : "")
        + digits.charAt(0)
        + (digits.length() > 1 ? "." + digits.substring(1) : "")
        + (exponent < 0 ? "e" : "e+")
        + exponent;
  }
}
