package dev.holdfast.histories;

/**
 * What a check says about a history.
 *
 * @param outcome the result
 * @param explanation where no order was found, or what ended the search; empty for a good history
 */
public record Verdict(Outcome outcome, String explanation) {

  /** The result of a check. */
  public enum Outcome {
    /** There is an order of the calls that explains every answer. */
    LINEARIZABLE,
    /** There is none. */
    REFUSED,
    /** The search has reached its bound. */
    UNDECIDED
  }

  static final Verdict GOOD = new Verdict(Outcome.LINEARIZABLE, "");

  /** {@return whether an order was found} */
  public boolean isLinearizable() {
    return outcome == Outcome.LINEARIZABLE;
  }
}
