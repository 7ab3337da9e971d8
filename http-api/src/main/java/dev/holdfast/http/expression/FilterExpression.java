package dev.holdfast.http.expression;

import java.nio.charset.StandardCharsets;

/**
 * A filter expression, parsed and checked. Immutable and thread-safe.
 *
 * <p>The grammar is that of the documented rules language. Evaluation takes time linear in the
 * request; an expression cannot fail: what is missing makes its comparison false.
 */
public final class FilterExpression {

  /** How long an expression may be, in bytes of UTF-8. */
  public static final int LENGTH_BYTES_MAX = 4_096;

  private final String text;
  private final Condition condition;
  private final boolean usesRegex;

  private FilterExpression(String text, Condition condition, boolean usesRegex) {
    this.text = text;
    this.condition = condition;
    this.usesRegex = usesRegex;
  }

  /**
   * Parses an expression.
   *
   * @param text the expression
   * @return the expression, checked
   * @throws FilterSyntaxException if it is malformed, not well typed, or too long
   */
  public static FilterExpression parse(String text) throws FilterSyntaxException {
    return parse(text, false);
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
    return parse(text, true);
  }

  private static FilterExpression parse(String text, boolean bareHosts)
      throws FilterSyntaxException {
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    if (length > LENGTH_BYTES_MAX) {
      throw new FilterSyntaxException(
          "",
          new Span(0, 1),
          "the expression is " + length + " bytes long, the limit is " + LENGTH_BYTES_MAX);
    }
    Parser parser = new Parser(text, bareHosts);
    Condition condition = parser.parse();
    return new FilterExpression(text, condition, parser.usesRegex());
  }

  /**
   * {@return whether the expression is true for a request}
   *
   * @param request the request
   */
  public boolean matches(FilterRequest request) {
    return condition.test(request);
  }

  /** {@return whether the expression has a regular expression in it} */
  public boolean usesRegex() {
    return usesRegex;
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
