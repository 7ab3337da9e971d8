package dev.holdfast.http.internal.call;

/**
 * Ends an operation that was only tried: what it wrote is taken back, and the answer says that it
 * would have succeeded.
 */
public final class DryRunException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public DryRunException() {
    super("a dry run", null, false, false);
  }
}
