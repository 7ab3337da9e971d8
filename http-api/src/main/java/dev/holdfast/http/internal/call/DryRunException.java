package dev.holdfast.http.internal.call;

/**
 * Ends a dry run of an operation: its writes are rolled back, and the answer states that it would
 * have succeeded.
 */
public final class DryRunException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public DryRunException() {
    super("a dry run", null, false, false);
  }
}
