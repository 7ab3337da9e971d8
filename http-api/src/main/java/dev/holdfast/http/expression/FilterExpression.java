package dev.holdfast.http.expression;

import java.nio.charset.StandardCharsets;

/**
 * A filter expression, parsed and checked. Immutable and thread-safe.
 *
 * <p>The grammar is that of the documented rules language. Evaluation takes time linear in the
 * request, and no more work than {@link FilterWork} allows. What is missing makes its comparison
 * false.
 */
public final class FilterExpression {

  /** How long an expression may be, in bytes of UTF-8. */
  public static final int LENGTH_BYTES_MAX = 4_096;

  /**
   * How many states all regular expressions of an expression may have together: about one for each
   * of their characters, times the counts of repetitions. With so many, values of up to 999 bytes
   * together are always matched within {@link FilterWork#EXPRESSION_MAX}.
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
   * Parses the expression of a policy: like {@link #parse}, but behind {@code eq} and {@code ne} a
   * host may stand without quotes, as in {@code http.host eq shop.example.com}.
   *
   * @param text the expression
   * @return the expression, checked
   * @throws FilterSyntaxException if it is malformed, not well typed, or too long
   */
  public static FilterExpression parseLenient(String text) throws FilterSyntaxException {
    return parse(text, true, REGEX_STATES_MAX);
  }

  /**
   * Parses an expression that was stored before {@link #REGEX_STATES_MAX} was a limit. Its
   * evaluation is bounded as that of any other.
   *
   * @param text the expression
   * @param bareHosts whether hosts may stand without quotes, as for {@link #parseLenient}
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
          new Span(0, 1),
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
   * @throws FilterWorkException if that takes more than {@link FilterWork#EXPRESSION_MAX}
   */
  public boolean matches(FilterRequest request) {
    return matches(request, new FilterWork());
  }

  /**
   * {@return whether the expression is true for a request}
   *
   * @param request the request
   * @param work what all expressions may take that the request is matched with
   * @throws FilterWorkException if this one takes more, or none is left
   */
  public boolean matches(FilterRequest request, FilterWork work) {
    work.begin();
    try {
      return condition.test(request, work);
    } finally {
      work.end();
    }
  }

  /** {@return whether the expression has a regular expression in it} */
  public boolean usesRegex() {
    return usesRegex;
  }

  /** {@return how many states the regular expressions in it have together} */
  public int regexStates() {
    return regexStates;
  }

  /** {@return the expression as it was written} */
  public String text() {
    return text;
  }

  /** {@return the expression in one form: it means the same and is read back as the same} */
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
