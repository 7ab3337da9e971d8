package dev.holdfast.http.expression;

/**
 * What the evaluation of expressions may cost, in units of about ten nanoseconds. The cost of each
 * step is known from the sizes of what it reads, and is charged before the step runs. So the same
 * expression and request always end in the same way, on any machine. Owned by one thread.
 *
 * <p>One instance is for one request: all its expressions together cost at most {@link
 * #REQUEST_MAX}, and each of them at most {@link #EXPRESSION_MAX}.
 */
public final class FilterWork {

  /** What one evaluation of one expression costs at most. */
  public static final long EXPRESSION_MAX = 2_000_000;

  /** What the evaluation of all expressions for a request costs at most. */
  public static final long REQUEST_MAX = 10 * EXPRESSION_MAX;

  private static final long STEP = 8;
  private static final long CHARACTERS_A_UNIT = 4;

  private long left = REQUEST_MAX;
  private long leftOfExpression = EXPRESSION_MAX;

  /** Creates what a request has to spend. */
  public FilterWork() {}

  /** Begins the next expression. */
  void begin() {
    leftOfExpression = Math.min(left, EXPRESSION_MAX);
    left -= leftOfExpression;
  }

  /** Ends the expression: what it did not need is there for the others. */
  void end() {
    left += leftOfExpression;
    leftOfExpression = 0;
  }

  /** {@return what the expressions that have ended have taken} */
  long spent() {
    return REQUEST_MAX - left;
  }

  /**
   * Takes the cost of a step.
   *
   * @throws FilterWorkException if it is more than is left
   */
  void charge(long units) {
    if (units > leftOfExpression) {
      leftOfExpression = 0;
      throw new FilterWorkException();
    }
    leftOfExpression -= units;
  }

  /** Takes the cost of reading text once. */
  void read(long characters) {
    charge(STEP + characters / CHARACTERS_A_UNIT);
  }

  /** Takes the cost of a search that looks at each place for the whole of what it looks for. */
  void search(long characters, long soughtCharacters) {
    read(characters + characters * soughtCharacters / CHARACTERS_A_UNIT);
  }
}
