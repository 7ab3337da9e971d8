package dev.holdfast.filter;

import java.io.Serial;

/** Headers are out of their bounds. Nothing was changed or sent. */
public final class HeadersException extends IllegalArgumentException {

  @Serial private static final long serialVersionUID = 1L;

  /** Which bound. */
  public enum Reason {
    /** A name is not a lower-case token. */
    NAME,
    /** A value has half of a surrogate pair, which has no bytes in UTF-8. */
    VALUE,
    /** There are more than {@link Headers#COUNT_MAX}. */
    COUNT,
    /** Together they are longer than {@link Headers#BYTES_MAX}. */
    BYTES,
    /** Those that an alarm keeps are longer than {@link Headers#KEPT_BYTES_MAX}. */
    KEPT_BYTES
  }

  private final Reason reason;

  /**
   * Creates the exception.
   *
   * @param reason which bound
   * @param message the bound, and what exceeds it; without values of headers
   */
  public HeadersException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** {@return which bound} */
  public Reason reason() {
    return reason;
  }
}
