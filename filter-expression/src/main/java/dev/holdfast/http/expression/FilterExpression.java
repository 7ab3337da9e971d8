package dev.holdfast.http.expression;

import java.nio.charset.StandardCharsets;

/**
 * A filter expression, parsed and checked. Immutable and thread-safe.
 *
 * <p>The grammar follows the documented rules language. Evaluation takes time linear in the
 * request, and at most the work that {@link FilterWork} allows. A comparison of a missing value is
 * false.
 */
public final class FilterExpression {

  /** Maximum length of an expression, in bytes of UTF-8. */
  public static final int LENGTH_BYTES_MAX = 4_096;

  /**
   * Maximum total number of states of all regular expressions of an expression: about one for each
   * of their characters, times the counts of repetitions. With this number, values of up to 999
   * bytes together are always matched within {@link FilterWork#EXPRESSION_MAX}.
   */
  public static final int REGEX_STATES_MAX = 2_000;

  private final String text;
  private final Condition condition;
  private final boolean usesRegex;
  private final int regexStates;

  private FilterExpression(String text, Condition condition, boolean usesRegex, int regexStates) {
    this.text = text;
    this.condition = condition;
    this.usesRegex = usesRegex;
    this.regexStates = regexStates;
  }

  /**
   * Parses an expression.
   *
   * @param text the expression
   * @return the expression, checked
   * @throws FilterSyntaxException if it is malformed, not well typed, or too long
   */
  public static FilterExpression parse(String text) throws FilterSyntaxException {
    return parse(text, false, REGEX_STATES_MAX);
  }

  /**
   * Parses the expression of a policy: like {@link #parse}, but after {@code eq} and {@code ne} a
   * host may be written without quotes, as in {@code http.host eq shop.example.com}.
   *
   * @param text the expression
   * @return the expression, checked
   * @throws FilterSyntaxException if it is malformed, not well typed, or too long
   */
  public static FilterExpression parseLenient(String text) throws FilterSyntaxException {
    return parse(text, true, REGEX_STATES_MAX);
  }

  /**
   * Parses an expression that was stored before {@link #REGEX_STATES_MAX} was a limit, and before
   * the literal arguments of functions had ranges. Its evaluation is bounded like any other.
   *
   * @param text the expression
   * @param bareHosts whether hosts may be written without quotes, as for {@link #parseLenient}
   * @return the expression, checked
   * @throws FilterSyntaxException if it is malformed, not well typed, or too long
   */
  public static FilterExpression parseStored(String text, boolean bareHosts)
      throws FilterSyntaxException {
    return parse(text, bareHosts, Integer.MAX_VALUE);
  }

  private static FilterExpression parse(String text, boolean bareHosts, int statesMax)
      throws FilterSyntaxException {
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    if (length > LENGTH_BYTES_MAX) {
      throw new FilterSyntaxException(
          "",
          0,
          1,
          "the expression is " + length + " bytes long, the limit is " + LENGTH_BYTES_MAX);
    }
    Parser parser = new Parser(text, bareHosts, statesMax);
    Condition condition = parser.parse();
    return new FilterExpression(text, condition, parser.usesRegex(), parser.states());
  }

  /**
   * {@return whether the expression is true for a request}
   *
   * @param request the request
   * @throws FilterWorkException if the evaluation costs more than {@link
   *     FilterWork#EXPRESSION_MAX}, or the result of a function is longer than 1 MiB
   */
  public boolean matches(FilterRequest request) {
    return matches(request, new FilterWork());
  }

  /**
   * {@return whether the expression is true for a request}
   *
   * @param request the request
   * @param work the limit for all expressions that are evaluated for the request
   * @throws FilterWorkException if this evaluation exceeds its limit, nothing of the limit is left,
   *     or the result of a function is longer than 1 MiB
   */
  public boolean matches(FilterRequest request, FilterWork work) {
    work.begin();
    try {
      return condition.test(request, work);
    } finally {
      work.end();
    }
  }

  /** {@return whether the expression contains a regular expression} */
  public boolean usesRegex() {
    return usesRegex;
  }

  /** {@return the total number of states of its regular expressions} */
  public int regexStates() {
    return regexStates;
  }

  /** {@return the expression as it was written} */
  public String text() {
    return text;
  }

  /**
   * {@return the expression in canonical form, which has the same meaning and is parsed to the
   * same}
   */
  public String canonical() {
    StringBuilder out = new StringBuilder();
    condition.print(out);
    return out.toString();
  }

  Condition condition() {
    return condition;
  }

  @Override
  public String toString() {
    return text;
  }
}
