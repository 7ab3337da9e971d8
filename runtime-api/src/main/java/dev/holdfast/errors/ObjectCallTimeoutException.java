package dev.holdfast.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;
import java.time.Duration;

/** A call through {@link dev.holdfast.ObjectStub#withTimeout} got no reply in time. */
public final class ObjectCallTimeoutException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  private final Duration timeout;
  private final boolean delivered;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param timeout the time limit of the call
   * @param delivered whether the object had begun the call
   */
  public ObjectCallTimeoutException(
      String namespace, ObjectId id, Duration timeout, boolean delivered) {
    super(
        namespace,
        id,
        delivered
            ? "The call was delivered but not answered within "
                + timeout
                + "; its effects remain. Read what it has done before you repeat it."
            : "The call was not delivered within "
                + timeout
                + " and was withdrawn: the object was busy, and nothing was done. Call it again, or"
                + " allow more time.",
        null);
    this.timeout = timeout;
    this.delivered = delivered;
  }

  /** {@return the time limit of the call} */
  public Duration timeout() {
    return timeout;
  }

  /** {@return true if the object had begun the call, so that its effects may be durable} */
  public boolean delivered() {
    return delivered;
  }
}
