package dev.holdfast.errors;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import java.io.Serial;

/**
 * Too many events wait for the object. The call was not delivered. Try again later, or call less
 * often.
 */
public final class ObjectOverloadedException extends ObjectException {

  @Serial private static final long serialVersionUID = 1L;

  private final int waitingCount;

  /**
   * Creates the exception.
   *
   * @param namespace the object's namespace
   * @param id the object's id
   * @param waitingCount the number of waiting events
   */
  public ObjectOverloadedException(String namespace, ObjectId id, int waitingCount) {
    super(
        namespace,
        id,
        "Object is overloaded: "
            + waitingCount
            + (waitingCount == 1 ? " event waits" : " events wait")
            + " for it, which is the limit (NamespaceOptions.queueLengthMax). Call it again later,"
            + " or shorten its turns.",
        null);
    this.waitingCount = waitingCount;
  }

  /** {@return the number of events that waited when the call was refused} */
  public int waitingCount() {
    return waitingCount;
  }
}
