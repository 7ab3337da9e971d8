package dev.holdfast.http.expression;

/**
 * An expression would take too much work with this request: its regular expressions or functions
 * are too large for values of this length. Whether it is true is unknown.
 */
public final class FilterWorkException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  FilterWorkException() {
    super(
        "evaluation takes more work than is allowed: use smaller regular expressions, fewer"
            + " functions, or shorter values");
  }
}
