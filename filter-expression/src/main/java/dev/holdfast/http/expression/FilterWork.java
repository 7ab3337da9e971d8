package dev.holdfast.http.expression;

/**
 * The work limit of the evaluation of expressions, in units of about ten nanoseconds. The cost of
 * each step follows from the sizes of its inputs, and is charged before the step runs. So the same
 * expression and request always have the same outcome, on any machine. Owned by one thread.
 *
 * <p>One instance is for one request: all its expressions together cost at most {@link
 * #REQUEST_MAX}, and each of them at most {@link #EXPRESSION_MAX}.
 */
public final class FilterWork {

  /** Maximum cost of one evaluation of one expression. */
  public static final long EXPRESSION_MAX = 2_000_000;

  /** Maximum cost of the evaluation of all expressions for a request. */
  public static final long REQUEST_MAX = 10 * EXPRESSION_MAX;

  private static final long STEP = 8;
  private static final long CHARACTERS_A_UNIT = 4;

  private long left = REQUEST_MAX;
  private long leftOfExpression = EXPRESSION_MAX;

  /** Creates the limit for a request. */
  public FilterWork() {}

  /** Begins the next expression. */
  void begin() {
    leftOfExpression = Math.min(left, EXPRESSION_MAX);
    left -= leftOfExpression;
  }

  /** Ends the expression: the rest of its limit stays available for the others. */
  void end() {
    left += leftOfExpression;
    leftOfExpression = 0;
  }

  /** {@return the cost of the expressions that have ended} */
  long spent() {
    return REQUEST_MAX - left;
  }

  /**
   * Charges the cost of a step.
   *
   * @throws FilterWorkException if it exceeds the rest of the limit
   */
  void charge(long units) {
    if (units > leftOfExpression) {
      leftOfExpression = 0;
      throw new FilterWorkException();
    }
    leftOfExpression -= units;
  }

  /** Charges the cost of reading text once. */
  void read(long characters) {
    charge(STEP + characters / CHARACTERS_A_UNIT);
  }

  /** Charges the cost of a search that compares the whole sought text at each position. */
  void search(long characters, long soughtCharacters) {
    read(characters + characters * soughtCharacters / CHARACTERS_A_UNIT);
  }
}
