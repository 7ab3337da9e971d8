package dev.holdfast.operator;

import dev.holdfast.HoldfastException;
import java.io.Serial;

/** Thrown when an operation is refused or fails. The message says what to do. */
public final class OperatorException extends HoldfastException {

  @Serial private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why an operation does not succeed. */
  public enum Reason {
    /** The request is wrong: it names something that there is not, or lacks an argument. */
    WRONG_REQUEST,
    /** The operation was tried and failed. */
    FAILED,
    /** The process does not run, or ended before it had answered. */
    UNAVAILABLE
  }

  /**
   * Creates the exception.
   *
   * @param reason why
   * @param message what happened and what to do
   */
  public OperatorException(Reason reason, String message) {
    this(reason, message, null);
  }

  /**
   * Creates the exception.
   *
   * @param reason why
   * @param message what happened and what to do
   * @param cause what it was caused by; null if by nothing else
   */
  public OperatorException(
      Reason reason, String message, @org.jspecify.annotations.Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** {@return why the operation does not succeed} */
  public Reason reason() {
    return reason;
  }
}
